import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Rejects a composition in which a feature exists twice. Nest creates one instance for a module class and another one
 * for the result of its `register`, with separate providers.
 *
 * @param names the names of the features, by the class of the module that must exist once
 * @throws Error with the remedy
 */
export function assertSingleInstances(app: INestApplication, names: ReadonlyMap<Type, string>): void {
  const modules = [...app.get(ModulesContainer).values()];
  for (const [feature, name] of names) {
    const count = modules.filter(({ metatype }) => metatype === feature).length;
    if (count < 2) continue;
    throw new Error(
      `The composition has ${count} instances of ${name}. Assign the result of ${name}.register(…) to a constant, and ` +
        `use this constant in composition.features and in the imports of your modules.`,
    );
  }
}
