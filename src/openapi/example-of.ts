import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type Schemas = Record<string, Schema>;

/**
 * Creates an example of a schema from the examples, the defaults and the enumerations of its parts. Returns undefined if a
 * required part has none of them, or contains itself: tools create examples from types.
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
  // A reference with a description.
  if (schema.allOf?.length === 1) return schema.allOf.map(partOf)[0];
  if (schema.items) {
    const item = partOf(schema.items);
    return item === undefined ? undefined : [item];
  }
  if (!schema.properties) return undefined;
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, partOf(part)] as const);
  const isComplete = parts.every(([name, part]) => part !== undefined || !schema.required?.includes(name));
  const hasExample = parts.some(([, part]) => part !== undefined);
  return isComplete && hasExample ? Object.fromEntries(parts) : undefined;
}
