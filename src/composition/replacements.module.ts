import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';

import { type Replaced, type Replacement, Replacements } from './replacements.js';

/** Provides the replacements of the composition to all features. */
@Module({})
export class ReplacementsModule {
  /** @param replacements factories inject providers of global modules */
  static forRoot(replacements: readonly Replacement[] = []): DynamicModule {
    const providers = replacements.map(toReplacedProvider);
    return {
      module: ReplacementsModule,
      global: true,
      providers: [
        ...providers,
        {
          provide: Replacements,
          inject: providers.map(({ provide }) => provide),
          useFactory: (...replaced: Replaced<object>[]) =>
            new Replacements(replacements.map(({ provide }, index) => [provide, replaced[index]])),
        },
      ],
      exports: [Replacements],
    };
  }
}

function toReplacedProvider(replacement: Replacement): FactoryProvider<Replaced<object>> {
  const provide = Symbol('replacement');
  if ('useClass' in replacement) {
    const { useClass } = replacement;
    return { provide, useFactory: () => ({ useClass }) };
  }
  if ('useValue' in replacement) return { provide, useFactory: () => ({ value: replacement.useValue }) };
  const { inject = [], useFactory } = replacement;
  return {
    provide,
    inject,
    useFactory: async (...args: unknown[]) => ({ value: await useFactory(...args) }),
  };
}
