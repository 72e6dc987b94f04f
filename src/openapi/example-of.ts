import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type Schemas = Record<string, Schema>;

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
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'string') return schema.format ?? 'string';
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([name, part]) => [name, partOf(part)]));
}
