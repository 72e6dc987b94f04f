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

/** A query of a list, which is accepted or rejected. */
export function query(path: string, text: string, accepted: boolean): HostileRequest {
  return ask('GET', `${path}?${text}`, accepted ? 200 : 400);
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

/** An operation that creates an object, and a body that is valid except for one field. */
export interface Field {
  name: string;
  kind: 'text' | 'int64' | 'enum' | 'label';
  required: boolean;
  path: string;
  /** The other fields as JSON. */
  others: Readonly<Record<string, string>>;
  success: number;
}

const TEXT = JSON.stringify(MARKER);

/** Every field of every request body. */
export const FIELDS: readonly Field[] = [
  { name: 'name', kind: 'text', required: true, path: '/v1/pets', others: { categoryId: '7' }, success: 201 },
  {
    name: 'categoryId',
    kind: 'int64',
    required: true,
    path: '/v1/pets',
    others: { name: TEXT },
    success: 201,
  },
  {
    name: 'status',
    kind: 'enum',
    required: false,
    path: '/v1/pets',
    others: { name: TEXT, categoryId: '-7' },
    success: 201,
  },
  { name: 'message', kind: 'text', required: true, path: '/v1/messages', others: {}, success: 202 },
  { name: 'petId', kind: 'int64', required: true, path: '/v1/store/orders', others: {}, success: 201 },
  { name: 'label', kind: 'label', required: true, path: '/keys', others: {}, success: 201 },
];

export const TEXT_FIELDS = FIELDS.filter(({ kind }) => kind === 'text');
export const INTEGER_FIELDS = FIELDS.filter(({ kind }) => kind === 'int64');
export const STATUSES = ['available', 'pending', 'sold'];

/** Every operation with a body. */
export const POSTS = [...new Set(FIELDS.map(({ path }) => path))];
export const LISTS = ['/v1/pets', '/v1/store/orders'];

/** A complete body with the JSON as the value of the field. */
export function bodyWith({ name, others }: Field, json: string): string {
  return objectOf([...Object.entries(others), [name, json]]);
}

/** An object with members in JSON. */
export function objectOf(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/** A body with an invalid value of the field. */
export function refused(field: Field, json: string): HostileRequest {
  return post(field.path, bodyWith(field, json), [400]);
}

/** A body with a valid value of the field, which must be returned unchanged. */
export function taken(field: Field, json: string, value: unknown): HostileRequest {
  return post(field.path, bodyWith(field, json), successOf(field, value), createdFrom(field, value));
}

/**
 * The statuses of the response to a valid body. An order may name an unknown animal, and an account may have all its
 * keys.
 */
export function successOf({ name, success }: Field, value: unknown): number[] {
  if (name === 'label') return [success, 409];
  if (name !== 'petId') return [success];
  const mayExist = typeof value === 'bigint' && value > 0n && value < 10_000_000n;
  return mayExist ? [success, 404] : [404];
}

/** The fields that the service returns for a valid body. */
export function createdFrom({ name, others }: Field, value: unknown): Record<string, unknown> {
  const created = Object.entries(others).map(([other, json]): [string, unknown] => [other, read(json)]);
  return Object.fromEntries([...created, [name, value]]);
}

function read(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === 'number' ? BigInt(value) : value;
}
