import type { FactoryProvider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

/** A kind of database server. */
export interface Engine {
  /** The name for operators. */
  readonly name: string;
  /** PostgreSQL's setting. Generic plans do not depend on the values of parameters, so production uses the tested ones. */
  readonly planCacheMode: 'force_generic_plan' | 'force_custom_plan';
}

/** A single PostgreSQL, or the embedded database. */
export const POSTGRESQL: Engine = { name: 'PostgreSQL', planCacheMode: 'force_generic_plan' };

/** PostgreSQL with the extension Citus, which distributes the rows of a table over several servers. */
export const CITUS: Engine = { name: 'PostgreSQL with Citus', planCacheMode: 'force_custom_plan' };

/** Injection token of the {@link Engine}. */
export const ENGINE = Symbol('Engine');

/** Provides a repository: the class itself or, on Citus, a subclass with other statements. */
export function repositoryOf<T extends object>(repository: Type<T>, onCitus: Type<T>): FactoryProvider<T> {
  return {
    provide: repository,
    inject: [ENGINE, ModuleRef],
    useFactory: (engine: Engine, moduleRef: ModuleRef) =>
      moduleRef.create(engine === CITUS ? onCitus : repository),
  };
}

/**
 * The planner's settings of every session. The estimated cost of generic plans is too high, which would trigger JIT
 * compilation that takes longer than the statement.
 */
export function planningOf({ planCacheMode }: Engine): Record<string, string> {
  return { plan_cache_mode: planCacheMode, jit: 'off' };
}
