/** A hostile request and its expected response. */
export interface HostileRequest {
  method: string;
  target: string;
  /** Headers in addition to Host, Content-Length and, by default, Authorization with a valid key. */
  headers: readonly (readonly [name: string, value: string])[];
  body?: string | Uint8Array;
  /** Raw bytes that are sent instead. */
  raw?: string;
  /** The allowed statuses of the response: one, unless it depends on concurrent requests. */
  statuses: readonly number[];
  /** The fields of the response with their values, in addition to those that the service assigns. */
  created?: Readonly<Record<string, unknown>>;
}

/** A marker in all requests, by which a log with parts of a request can be detected. */
export const MARKER = 'hOsTiLe7q';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const PLANTED = ['X-Hostile', MARKER] as const;

/** A request for a target, with a header that contains the marker. */
export function ask(method: string, target: string, ...statuses: number[]): HostileRequest {
  return { method, target, headers: [PLANTED], statuses };
}

/** A body of JSON, or of data that is declared as JSON. */
export function post(
  target: string,
  body: string | Uint8Array,
  statuses: readonly number[],
  created?: HostileRequest['created'],
): HostileRequest {
  return {
    method: 'POST',
    target,
    headers: [JSON_TYPE, PLANTED],
    body,
    statuses,
    ...(created && { created }),
  };
}

/** The same request with other headers. */
export function withHeaders(request: HostileRequest, ...headers: [string, string][]): HostileRequest {
  return { ...request, headers: [...headers, PLANTED] };
}

/** Text as JSON with all UTF-16 code units escaped. */
export const escaped = (text: string) =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
