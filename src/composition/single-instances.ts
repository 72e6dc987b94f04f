import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Rejects a composition in which a feature exists twice. Nest creates one instance for a module class and another one
 * for the result of its `register`, with separate providers.
 *
 * @throws Error with the remedy
 */
export function assertSingleInstances(app: INestApplication, features: readonly Type[]): void {
  const modules = [...app.get(ModulesContainer).values()];
  for (const feature of features) {
    const count = modules.filter(({ metatype }) => metatype === feature).length;
    if (count < 2) continue;
    const { name } = feature;
    throw new Error(
      `The composition has ${count} instances of ${name}. Assign the result of ${name}.register(…) to a constant, and ` +
        `use this constant in composition.features and in the imports of your modules.`,
    );
  }
}
