import { STATUS_OF_CODE } from '../domain/error-codes.js';
import { ERROR_TEXTS } from './error-texts.js';

const errorRows = Object.entries(ERROR_TEXTS).map(
  ([code, { meaning }]) =>
    `| \`${code}\` | ${STATUS_OF_CODE[code as keyof typeof STATUS_OF_CODE]} | ${meaning} |`,
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

Every operation needs an API key; where to get one is told below, under Keys. Press **Authorize** here, and
call what you like; or, on a command line:

    curl -H 'Authorization: Bearer <API_KEY>' http://127.0.0.1:3000/v1/pets

## Keys

Send a key as a bearer token (RFC 6750). It is judged before anything else of a request: without a valid
one, the answer is 401, whatever else is right or wrong.

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

Every error has the same body, \`{code, message, status}\`. Decide by \`code\`, and treat one that you
do not know like its HTTP status: there may be new ones.

| code | status | meaning |
|---|---|---|
${errorRows.join('\n')}

Every answer carries \`X-Request-Id\`: the one that you sent, or a new one. Name it when you ask about
a request.

## Doing it once

An answer can get lost. Send an \`Idempotency-Key\` of your own with a request that adds something,
such as a new UUID, and you can repeat the request until you have seen its answer: what it adds is
added once. Quotes around the key count for nothing (experimental; after
draft-ietf-httpapi-idempotency-key-header).

- Repeated, the request is answered as it was the first time, with \`Idempotency-Replayed: true\`. The
  order of fields in the body does not matter, nor do fields that the service does not know.
- While the first one still runs, the answer is 409 with \`Retry-After\`. After a 503 nobody knows
  whether it took effect: repeat it with the same key.
- A key that was used for another operation, or another body, is refused with 422.
- Errors are not remembered. A request that was refused can be sent again, corrected, by the same key.
- Keys are remembered for 24 hours. Those of other accounts do not matter.

## Limits

A service may limit how many requests a key can send in a minute, and how many an address can send
with a wrong key, or none. What is beyond is answered with 429 and \`Retry-After\`. Where there is a
limit, \`RateLimit-Policy\` tells it and \`RateLimit\` what is left of it
(draft-ietf-httpapi-ratelimit-headers-10).

## Stability and deprecation

How settled an operation is, \`x-stability\` says:

| mark | means |
|---|---|
| none | It is settled. |
| \`beta\` | It may change, with notice. |
| \`experimental\` | It may change, or go, at any time. |

A deprecated operation goes on working until a release removes it, not before the day that
\`x-sunset\` tells. Its answers say since when it is deprecated in \`Deprecation\` (RFC 9745), that day
in \`Sunset\` (RFC 8594), and what to use instead in \`Link\`.

## What this service decided

The interface leaves these open. They are this service's own decisions, and may become others:

- how lists go on: by \`after\` and \`Link\`;
- what an order is, and how it comes to be;
- that a queued message is answered with 202;
- what a key is, and how accounts and keys are made;
- the error codes, but for their statuses.

Where a whole operation is such a decision, it is marked experimental.
`;
