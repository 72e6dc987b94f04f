import type { OpenAPIObject } from '@nestjs/swagger';

import { isObject } from '../http/validation/rule.js';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type Reference = Extract<Schema, { $ref: string }>;

/** Strings by their formats. The other formats of strings allow any text. */
const FORMATS: Record<string, string> = {
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
export function exampleOf(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  ancestors: readonly string[] = [],
): unknown {
  if ('$ref' in schema) {
    const name = nameOf(schema);
    const named = schemas[name];
    return named && !ancestors.includes(name) ? exampleOf(named, schemas, [...ancestors, name]) : undefined;
  }
  const { examples }: { examples?: unknown } = schema;
  const [first] = Array.isArray(examples) ? (examples as unknown[]) : [];
  const candidates: unknown[] = [schema.example, first, schema.default, schema.enum?.[0]];
  const given = candidates.find((candidate) => candidate !== undefined);
  if (given !== undefined) return given;
  if (schema.allOf) {
    const { allOf, ...rest } = schema;
    const parts = [...allOf, ...(schema.properties ? [rest] : [])];
    return merge(parts.map((part) => exampleOf(part, schemas, ancestors)));
  }
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant) return exampleOf(variant, schemas, ancestors);
  if (schema.items) {
    const item = exampleOf(schema.items, schemas, ancestors);
    return item === undefined ? [] : [item];
  }
  const [type] = [schema.type].flat();
  if (type === 'string') return FORMATS[schema.format ?? ''] ?? 'string';
  if (type === 'integer' || type === 'number') return atLeast(schema.minimum ?? 1);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([name, each]) => [name, exampleOf(each, schemas, ancestors)]));
}

/** Merges the examples of the parts of a schema. If they are not objects, the first part decides. */
function merge(examples: readonly unknown[]): unknown {
  const objects = examples.filter(isObject);
  return objects.length > 1 ? Object.assign({}, ...objects) : examples[0];
}

/** Returns 1 or, if that is less, the minimum. That of int64 is a bigint, which `Math.max` does not accept. */
function atLeast(minimum: number): number {
  return minimum > 1 ? minimum : 1;
}

/** Returns whether a schema is the reference to that of the errors of the service. */
export function isErrorSchema(schema: Schema | undefined): boolean {
  return schema !== undefined && '$ref' in schema && nameOf(schema) === 'Error';
}

/** Returns the name of a schema from a reference to it. */
export function nameOf({ $ref }: Reference): string {
  return $ref.replace('#/components/schemas/', '');
}
