import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Refuses a composition in which a feature exists twice. Nest creates one instance for a module class and another for
 * what its `register` returns, each with providers of its own.
 *
 * @throws Error that says what to do
 */
export function assertSingleInstances(app: INestApplication, features: readonly Type[]): void {
  const modules = [...app.get(ModulesContainer).values()];
  for (const feature of features) {
    const count = modules.filter(({ metatype }) => metatype === feature).length;
    if (count < 2) continue;
    const { name } = feature;
    throw new Error(
      `The composition has ${count} instances of ${name}. Assign what ${name}.register(…) returns to a constant, and ` +
        `use this constant in composition.features and in the imports of your modules.`,
    );
  }
}
