import fc from 'fast-check';

import { parseJsonWithBigints } from '#src/domain/json';

/** A schema as the document has it, with each integer as a bigint. */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  enum?: string[];
  pattern?: string;
  minLength?: bigint;
  maxLength?: bigint;
  minimum?: bigint;
  maximum?: bigint;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** A published document, as far as requests are made from it. */
export interface Document {
  paths: Record<string, Record<string, { parameters: { name: string; in: string; schema: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** The schema that a reference stands for. */
export function resolve(document: Document, schema: Schema): Schema {
  const [only] = schema.allOf ?? [];
  const { $ref } = only ?? schema;
  return $ref === undefined ? schema : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
}

/** Whether a schema allows a text. Its prose excludes U+0000, and in texts with a least length what is invisible. */
function isAllowedText({ pattern = '', minLength = 0n, maxLength }: Schema, value: string): boolean {
  const length = Array.from(value).length;
  return (
    new RegExp(pattern, 'u').test(value) &&
    value.isWellFormed() &&
    !value.includes('\0') &&
    length >= minLength &&
    (maxLength === undefined || length <= maxLength) &&
    (minLength === 0n || (/[^\p{C}\p{Z}]/u.test(value) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)))
  );
}

/** What a schema of a single value allows. */
export function allowed(schema: Schema): fc.Arbitrary<string | bigint> {
  const { type, enum: values, minimum, maximum } = schema;
  if (values) return fc.constantFrom(...values);
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return fc.oneof(fc.bigInt({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
  }
  if (type === 'string') {
    const unit = schema.minLength === undefined ? 'binary' : 'grapheme';
    return fc.string({ unit }).filter((value) => isAllowedText(schema, value));
  }
  throw new Error(`a schema that this test cannot make a value of: ${type ?? 'untyped'}`);
}

/** What a schema of a single value forbids. */
export function forbidden(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: values, minimum = 0n, maximum = 0n } = schema;
  const anything = fc.jsonValue().map((value) => parseJsonWithBigints(JSON.stringify(value)));
  if (type === 'integer') {
    return fc.oneof(
      fc.bigInt({ max: minimum - 1n }),
      fc.bigInt({ min: maximum + 1n }),
      fc.constantFrom(minimum - 1n, maximum + 1n, 0.5),
      anything.filter((value) => typeof value !== 'bigint'),
    );
  }
  const nothingAllowed = (value: unknown) =>
    typeof value !== 'string' || !(values ? values.includes(value) : isAllowedText(schema, value));
  const broken = fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udbff', '\udc00', '\udfff', 'a', '🐱'),
  });
  return fc.oneof(anything, broken).filter(nothingAllowed);
}
