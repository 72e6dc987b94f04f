import { ERROR_TEXTS, STATUS_OF_CODE } from './error-texts.js';

const errorRows = Object.entries(ERROR_TEXTS).map(
  ([code, { meaning }]) => `| [\`${code}\`](errors#${code}) | ${STATUS_OF_CODE[code]} | ${meaning} |`,
);

/** The guide to features of all operations, in Markdown. */
export const GUIDE_PAGE = `# Guide

## Authentication

Send a key as a bearer token (RFC 6750). Authentication is checked first: without a valid key, an operation answers
401 and does not read the body. Requests that match no operation need no key: an unknown path gets 404, and an
unsupported method gets 405.

## Requests

Bodies are JSON objects in UTF-8, with \`Content-Type: application/json\`. By default, a body has up to 256 KiB. It
contains at most 5,000 values, nested at most 100 levels deep, and an object has at most 500 members. A request
has at most 500 query parameters. The service ignores unknown fields and query parameters. A field with the value
\`null\` is not the same as an absent field.

Ids are 64-bit integers, written as JSON numbers. Ids above 2^53 do not fit into a double, so use a parser that reads
them exactly. [Large integers](integers) describes how to do that in JavaScript. \`1.0\` and \`1e3\` are valid integers.

## Lists

Lists are JSON arrays, sorted by id. If there are more items, the \`Link\` header contains the URL of the next page, with
\`rel="next"\` (RFC 8288). Use the URL unchanged. The last page has no \`Link\` header.

## Errors

Every error has the same body, \`{code, message, status}\`. Programs should check \`code\`. New codes may be added; treat
an unknown code like its HTTP status. Requests for the files of the pages can also get 412 \`precondition_failed\` and
416 \`range_not_satisfiable\`.

| code | status | meaning |
|---|---|---|
${errorRows.join('\n')}

Every response has an \`X-Request-Id\`. You can choose it in the request, with 1 to 128 letters, digits or characters of
\`_ . : = + / -\`. Otherwise, the service generates it. Quote the id when you ask about a request.

## Idempotent requests

A response can get lost. Send a unique \`Idempotency-Key\`, such as a new UUID, with a request that adds an animal, an
order or a message. You can then repeat the request until you get a response, and it takes effect once. The key has 1 to
255 ASCII characters. Quotes around it are optional if it contains no spaces, quotes or commas. The header is
experimental and follows draft-ietf-httpapi-idempotency-key-header. Other operations reject the header with 400.

- A repeated request gets the response of the first one, with \`Idempotency-Replayed: true\`. The order of the fields in the
  body and unknown fields do not matter.
- While the first request is in progress, a repetition gets 409 with \`Retry-After\`. After a 503, the outcome is
  unknown: repeat the request with the same key.
- A request with a key that was used with another URL or another body gets 422.
- Errors are not stored. You can send a corrected request with the same key.
- Keys are stored for 24 hours. Each account has its own keys.

## Limits

Operators can limit the requests per minute of a key, and those of an address without a valid key. A request above the
limit gets 429 and \`Retry-After\`. The header \`RateLimit-Policy\` contains the limit, and \`RateLimit\` contains the
remaining quota (draft-ietf-httpapi-ratelimit-headers-10).

## Stability and deprecation

\`x-stability\` marks operations that may change:

| mark | meaning |
|---|---|
| none | The operation is stable. |
| \`beta\` | The operation may change, with notice. |
| \`experimental\` | The operation may change or be removed at any time. |

A deprecated operation works at least until the day in \`x-sunset\`. Its responses contain the date of the deprecation in
\`Deprecation\` (RFC 9745), the day of removal in \`Sunset\` (RFC 8594), and the replacement in \`Link\`. The
[changelog](changelog) lists all changes and what may change within v1.

## Decisions of this service

The interface does not define the following. This service defines them, and they can change:

- pagination by \`after\` and \`Link\`;
- the fields of an order, and how it is placed;
- the status 202 for a queued message;
- the form of keys, and how accounts and keys are created;
- the error codes. The interface defines only their statuses.

Operations that the interface does not define are marked experimental.
`;
