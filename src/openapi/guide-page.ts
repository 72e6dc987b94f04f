import { type ServiceErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ERROR_TEXTS } from './error-texts.js';

const errorRows = Object.entries(ERROR_TEXTS).map(
  ([code, { meaning }]) =>
    `| [\`${code}\`](errors#${code}) | ${STATUS_OF_CODE[code as ServiceErrorCode]} | ${meaning} |`,
);

/** The page about what all operations have in common, in Markdown. */
export const GUIDE_PAGE = `# Guide

## Authentication

Send a key as a bearer token (RFC 6750). Authentication is checked first: a request to an operation without a valid
key gets 401, and its body is never read. Only requests that match no operation are answered without a key: a
path that does not exist with 404, and a method that a path does not support with 405.

## Requests

Bodies are JSON objects in UTF-8, with \`Content-Type: application/json\`, of up to 256 KiB by default.
A body holds at most 5,000 values, nested at most 100 levels deep. Unknown fields and query parameters are
ignored. \`null\` is not the same as absent.

Identifiers are integers of 64 bits, written as plain numbers and kept exactly. They can be larger
than what a double holds (2^53), so read them with a parser that keeps them, as [in JavaScript](integers).
\`1.0\` and \`1e3\` are integers too.

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
\`Link\`. The [changelog](changelog) lists the changes and says what may change within v1.

## Decisions of this service

The interface does not define the following. This service defines them, and they can change:

- how lists continue: \`after\` and \`Link\`;
- what an order is, and how it is placed;
- that a queued message is answered with 202;
- what a key is, and how accounts and keys are created;
- the error codes, except for their statuses.

An operation that the interface does not define is marked experimental.
`;
