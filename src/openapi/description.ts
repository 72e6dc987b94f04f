import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ERROR_TEXTS } from './error-texts.js';
import { linkToCode } from './errors-page.js';

const errorRows = Object.entries(ERROR_TEXTS).map(
  ([code, { meaning }]) =>
    `| ${linkToCode(code as ErrorCode)} | ${STATUS_OF_CODE[code as ErrorCode]} | ${meaning} |`,
);

/**
 * What the published document says before its operations.
 *
 * @param keys what it says of the keys of this service
 */
export const descriptionWith = (
  keys: string,
) => `An HTTP/JSON API for a pet store: list animals, add one, order one, queue a message.

## First call

Every operation needs an API key. The chapter Keys says where to get one. Press **Authorize** in the
[explorer]({root}/docs) and call any operation, or use a command line:

    curl -H 'Authorization: Bearer <API_KEY>' {root}/v1/pets

## Keys

Send a key as a bearer token (RFC 6750). Authentication is checked first: a request to an operation without a valid
key gets 401, and its body is never read. Only requests that match no operation are answered without a key: a
path that does not exist with 404, and a method that a path does not support with 405.

${keys}

## Requests

Bodies are JSON objects in UTF-8, with \`Content-Type: application/json\`, of up to 256 KiB by default.
A body holds at most 5,000 values, nested at most 100 levels deep. Unknown fields and query parameters are
ignored. \`null\` is not the same as absent.

Identifiers are integers of 64 bits, written as plain numbers and kept exactly. They can be larger
than what a double holds (2^53), so read them with a parser that keeps them. \`1.0\` and \`1e3\` are
integers too.

## Lists

Lists are bare arrays in the order of ids. When more follow, the \`Link\` header holds the address of
the next page, with \`rel="next"\` (RFC 8288). Follow it as it is; when it is missing, you have seen
all.

## Errors

Every error has the same body, \`{code, message, status}\`. Decide by \`code\`. New codes may be added, so treat a
code that you do not know like its HTTP status. The files of the pages can also be answered with 412
\`precondition_failed\` and 416 \`range_not_satisfiable\`.

| code | status | meaning |
|---|---|---|
${errorRows.join('\n')}

Every answer carries \`X-Request-Id\`. It repeats yours if that has 1 to 128 letters, digits or characters of
\`_ . : = + / -\`; any other is replaced by a new one. Quote it when you ask about a request.

## Idempotent requests

An answer can get lost. Send a unique \`Idempotency-Key\`, such as a new UUID, with a request that adds an
animal, an order or a message. You can then repeat the request until you get its answer, and it takes effect once.
Quotes around the key are optional (experimental; after draft-ietf-httpapi-idempotency-key-header). Other
operations that change something refuse the header with 400.

- A repeated request gets the answer of the first one, with \`Idempotency-Replayed: true\`. The order of the
  fields in the body does not matter, and neither do unknown fields.
- While the first request is in progress, the answer is 409 with \`Retry-After\`. After a 503 the outcome is
  unknown: repeat the request with the same key.
- A key that was used for another operation or another body is refused with 422.
- Errors are not stored. You can send a corrected request with the same key.
- Keys are stored for 24 hours. Each account has its own.

## Limits

A service may limit the requests per minute of a key, and those of an address without a valid key. A request
beyond the limit gets 429 and \`Retry-After\`. Where there is a limit, \`RateLimit-Policy\` contains it and
\`RateLimit\` the rest of it (draft-ietf-httpapi-ratelimit-headers-10).

## Stability and deprecation

\`x-stability\` marks operations that may change:

| mark | means |
|---|---|
| none | Stable. |
| \`beta\` | It may change, with notice. |
| \`experimental\` | It may change, or go, at any time. |

A deprecated operation keeps working at least until the day in \`x-sunset\`. Its answers carry the date of the
deprecation in \`Deprecation\` (RFC 9745), that day in \`Sunset\` (RFC 8594), and the replacement in
\`Link\`. The [changelog]({root}/docs/changelog) lists the changes and says what may change within v1.

## What this service decided

The interface leaves these open. They are this service's own decisions, and may become others:

- how lists go on: by \`after\` and \`Link\`;
- what an order is, and how it comes to be;
- that a queued message is answered with 202;
- what a key is, and how accounts and keys are made;
- the error codes, but for their statuses.

Where a whole operation is such a decision, it is marked experimental.
`;
