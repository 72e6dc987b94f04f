import fc from 'fast-check';

import { parseJsonWithBigints } from '#src/domain/json';
import { MAX_DISPLAY_NAME_LENGTH } from '#src/limits';

/** A schema of the document, with each integer as a bigint. */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  enum?: string[];
  minLength?: bigint;
  maxLength?: bigint;
  minimum?: bigint;
  maximum?: bigint;
  items?: Schema;
  minItems?: bigint;
  maxItems?: bigint;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The part of a published document that describes requests. */
export interface Document {
  paths: Record<string, Record<string, { parameters: { name: string; in: string; schema: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** Resolves a reference to a schema. */
export function resolve(document: Document, schema: Schema): Schema {
  const [only] = schema.allOf ?? [];
  const { $ref } = only ?? schema;
  return $ref === undefined ? schema : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
}

/**
 * Returns whether a schema allows a text. The document excludes U+0000 and lone surrogates in prose, and invisible
 * characters in display names.
 */
function isAllowedText({ minLength = 0n, maxLength }: Schema, text: string): boolean {
  const length = Array.from(text).length;
  const isName = minLength === 1n && maxLength === BigInt(MAX_DISPLAY_NAME_LENGTH);
  return (
    text.isWellFormed() &&
    !text.includes('\0') &&
    length >= minLength &&
    (maxLength === undefined || length <= maxLength) &&
    (!isName || (/[^\p{C}\p{Z}]/u.test(text) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)))
  );
}

/** Returns an arbitrary of the values that a schema allows. */
export function allowed(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: values, minimum, maximum, items, minItems = 0n, maxItems } = schema;
  if (values) return fc.constantFrom(...values);
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return fc.oneof(fc.bigInt({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
  }
  if (type === 'string') {
    const unit = schema.minLength === undefined ? 'binary' : 'grapheme';
    return fc.string({ unit }).filter((text) => isAllowedText(schema, text));
  }
  if (type === 'array' && items) {
    return fc.array(allowed(items), {
      minLength: Number(minItems),
      ...(maxItems !== undefined && { maxLength: Number(maxItems) }),
    });
  }
  throw new Error(`A schema of the type ${type ?? 'unknown'} has no arbitrary.`);
}

/** Returns an arbitrary of the values that a schema forbids. */
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
  if (type === 'array') {
    return fc.oneof(
      anything.filter((value) => !Array.isArray(value)),
      ...forbiddenArrays(schema),
    );
  }
  const isForbidden = (value: unknown) =>
    typeof value !== 'string' || !(values ? values.includes(value) : isAllowedText(schema, value));
  const broken = fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udbff', '\udc00', '\udfff', 'a', '🐱'),
  });
  const tooLong = 'x'.repeat(Number(schema.maxLength ?? 0n) + 1);
  return fc.oneof(anything, broken, fc.constantFrom('', tooLong)).filter(isForbidden);
}

/** Returns an arbitrary of arrays with a forbidden item, with too few items or with too many. */
function forbiddenArrays({ items, minItems = 0n, maxItems }: Schema): fc.Arbitrary<unknown[]>[] {
  if (!items) return [];
  const ofLength = (length: bigint) =>
    fc.array(allowed(items), { minLength: Number(length), maxLength: Number(length) });
  return [
    fc.tuple(ofLength(minItems), forbidden(items)).map(([others, wrong]) => [wrong, ...others.slice(1)]),
    ...(minItems > 0n ? [ofLength(minItems - 1n)] : []),
    ...(maxItems !== undefined ? [ofLength(maxItems + 1n)] : []),
  ];
}
