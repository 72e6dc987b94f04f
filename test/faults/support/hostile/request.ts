/** A request that means harm, and what must come of it. */
export interface HostileRequest {
  method: string;
  target: string;
  /** Beside Host, Content-Length and, unless one is among these, Authorization with a valid key. */
  headers: readonly (readonly [name: string, value: string])[];
  body?: string | Uint8Array;
  /** Bytes that are sent instead of all this. */
  raw?: string;
  /** What the service must answer: one status, unless it depends on what others do at the same time. */
  statuses: readonly number[];
  /** The fields that the answer must have, with these values, beside those that the service assigns. */
  made?: Readonly<Record<string, unknown>>;
}

/** Stands in everything that is sent, so that a log which holds any of it can be found. */
export const MARKER = 'hOsTiLe7q';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const PLANTED = ['X-Hostile', MARKER] as const;

/** A request for a target, with a planted header. */
export function ask(method: string, target: string, ...statuses: number[]): HostileRequest {
  return { method, target, headers: [PLANTED], statuses };
}

/** A query of a list, which is answered, or refused. */
export function query(path: string, text: string, accepted: boolean): HostileRequest {
  return ask('GET', `${path}?${text}`, accepted ? 200 : 400);
}

/** A body in JSON, or what claims to be. */
export function post(
  target: string,
  body: string | Uint8Array,
  statuses: readonly number[],
  made?: HostileRequest['made'],
): HostileRequest {
  return { method: 'POST', target, headers: [JSON_TYPE, PLANTED], body, statuses, ...(made && { made }) };
}

/** The same request with other headers in place of its own. */
export function withHeaders(request: HostileRequest, ...headers: [string, string][]): HostileRequest {
  return { ...request, headers: [...headers, PLANTED] };
}

/** An operation that makes something, and a body of it that is valid but for one field. */
export interface Field {
  name: string;
  kind: 'text' | 'int64' | 'enum' | 'label';
  required: boolean;
  path: string;
  /** The fields beside this one, as JSON. */
  others: Readonly<Record<string, string>>;
  success: number;
}

const TEXT = JSON.stringify(MARKER);

/** Every field of every body that the service takes. */
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

/** Every operation that takes a body. */
export const POSTS = [...new Set(FIELDS.map(({ path }) => path))];
export const LISTS = ['/v1/pets', '/v1/store/orders'];

/** A whole body, in which the field has a value that is written as this JSON. */
export function bodyWith({ name, others }: Field, json: string): string {
  return objectOf([...Object.entries(others), [name, json]]);
}

/** An object of members that are written as JSON. */
export function objectOf(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

/** A body whose field has a value that must be refused. */
export function refused(field: Field, json: string): HostileRequest {
  return post(field.path, bodyWith(field, json), [400]);
}

/** A body whose field has a value that must be taken, and come back as it is. */
export function taken(field: Field, json: string, value: unknown): HostileRequest {
  return post(field.path, bodyWith(field, json), successOf(field, value), madeOf(field, value));
}

/** The statuses with which a valid body is answered: an order may name no animal, an account have its keys already. */
export function successOf({ name, success }: Field, value: unknown): number[] {
  if (name === 'label') return [success, 409];
  if (name !== 'petId') return [success];
  const mayExist = typeof value === 'bigint' && value > 0n && value < 10_000_000n;
  return mayExist ? [success, 404] : [404];
}

/** What the service makes of a valid body. */
export function madeOf({ name, others }: Field, value: unknown): Record<string, unknown> {
  const made = Object.entries(others).map(([other, json]): [string, unknown] => [other, read(json)]);
  return Object.fromEntries([...made, [name, value]]);
}

function read(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === 'number' ? BigInt(value) : value;
}
