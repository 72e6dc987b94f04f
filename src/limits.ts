/** The bounds of what clients send. `Config` contains those that an operator can change. */

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The maximum length of an animal's name, in characters. */
export const MAX_PET_NAME_LENGTH = 20_000;

/** The maximum length of a display name, such as that of an account, in characters. */
export const MAX_DISPLAY_NAME_LENGTH = 64;

/** The number of items of a page: the default, and the maximum. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** The size of the JSON text at which a page ends early. */
export const MAX_PAGE_BYTES = 256 * 1024;

/** The maximum number of active keys of an account. */
export const MAX_KEYS = 100;

/** The number of revoked keys of an account that remain listed for the operator, the newest ones. */
export const MAX_REVOKED_KEYS = 100;

/** The maximum length of an idempotency key, without quotes and escapes, in ASCII characters. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const MAX_REQUEST_ID_LENGTH = 128;

/** The limits of a JSON text. Larger values could block the event loop or overflow the stack. */
export const MAX_JSON_VALUES = 5000;
export const MAX_JSON_DEPTH = 100;
/** class-transformer takes quadratic time in the members of an object. */
export const MAX_JSON_MEMBERS = 500;

export const BODY_LIMIT_BYTES = 256 * 1024;

/** The maximum size of a body with only a display name. A name takes up to 768 bytes. */
export const DISPLAY_NAME_BODY_LIMIT_BYTES = 4 * 1024;

/** The maximum number of header fields: that of Apache and HAProxy. Each field takes time and memory, however short it is. */
export const MAX_HEADER_FIELDS = 100;

/** The maximum number of requests that a connection has in progress. A piece of 64 KiB can contain 2,400. */
export const MAX_PIPELINED_REQUESTS = 100;

/**
 * The maximum memory that all clients make the process hold: connections, requests, and responses that they have not
 * read. Garbage that waits for its collection comes on top.
 */
export const MAX_HELD_BYTES = 64 * 1024 ** 2;

/** The maximum length of the messages on invalid fields, in characters. Further ones are left out. */
export const MAX_ERROR_MESSAGES_LENGTH = 5000;
