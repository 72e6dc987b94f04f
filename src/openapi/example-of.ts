import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type Schemas = Record<string, Schema>;

/** Examples of types without an example, a default or an enumeration. */
const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'string', boolean: true, null: null };

/** Strings by their formats. The other formats of strings allow any text. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ann@example.com',
  uri: 'https://example.com',
  uuid: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};

/**
 * Creates an example of a schema from the examples of its parts, or else from their types. A schema that contains itself
 * ends there.
 *
 * @param ancestors the names of the schemas that contain this one
 */
export function exampleOf(schema: Schema, schemas: Schemas, ancestors: readonly string[] = []): unknown {
  if ('$ref' in schema) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    const named = schemas[name];
    return named && !ancestors.includes(name) ? exampleOf(named, schemas, [...ancestors, name]) : undefined;
  }
  // An example can be null.
  const given: unknown[] = [schema.example, schema.default, schema.enum?.[0]];
  const example = given.find((value) => value !== undefined);
  if (example !== undefined) return example;
  const partOf = (part: Schema) => exampleOf(part, schemas, ancestors);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(partOf)) as object;
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant) return partOf(variant);
  if (schema.items) return [partOf(schema.items)].filter((item) => item !== undefined);
  const type = String([schema.type].flat()[0]);
  // The minimum of an int64 is a bigint, whatever its type says.
  const minimum: unknown = schema.minimum ?? 1;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum));
  if (type in BY_TYPE) return BY_FORMAT[schema.format ?? ''] ?? BY_TYPE[type];
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([name, part]) => [name, partOf(part)]));
}
