import fc from 'fast-check';

import { parseJsonWithBigints } from '#src/domain/json';

/** A schema as the document has it, with each integer as a bigint. */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  enum?: string[];
  minLength?: number;
  maxLength?: number;
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

/** The rule that the document states in prose for every text. */
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** What a schema of a single value allows. */
export function allowed({
  type,
  enum: values,
  minLength,
  maxLength,
  minimum,
  maximum,
}: Schema): fc.Arbitrary<string | bigint> {
  if (values) return fc.constantFrom(...values);
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return fc.oneof(fc.bigInt({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
  }
  if (type === 'string' && minLength !== undefined && maxLength !== undefined) {
    // A name that people read.
    return fc.string({ unit: 'grapheme-ascii', minLength, maxLength }).filter((text) => text.trim() !== '');
  }
  if (type === 'string') return fc.string({ unit: 'binary' }).filter(isStorable);
  throw new Error(`a schema that this test cannot make a value of: ${type ?? 'untyped'}`);
}

/** What a schema of a single value forbids. */
export function forbidden({ type, enum: values, minimum = 0n, maximum = 0n }: Schema): fc.Arbitrary<unknown> {
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
    typeof value !== 'string' || !(values ? values.includes(value) : isStorable(value));
  const broken = fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udbff', '\udc00', '\udfff', 'a', '🐱'),
  });
  return fc.oneof(anything, broken).filter(nothingAllowed);
}
