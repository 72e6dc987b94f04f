import { nameOf, type Reference, type Schema } from './example-of.js';

/** The schemas of a document, by name. */
export type Schemas = Record<string, Schema>;

/** Returns the names of the schemas to which a part of a document refers, and those to which these schemas refer. */
export function schemasUsedBy(part: unknown, schemas: Readonly<Schemas>): Set<string> {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('$ref' in node) {
      const name = nameOf(node as Reference);
      if (used.has(name)) return;
      used.add(name);
      return visit(schemas[name]);
    }
    Object.values(node).forEach(visit);
  };
  visit(part);
  return used;
}

/** Returns the schemas whose names satisfy a condition. */
export function pickSchemas(schemas: Readonly<Schemas>, isPicked: (name: string) => boolean): Schemas {
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => isPicked(name)));
}
