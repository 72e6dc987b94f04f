import type { ClassProvider, FactoryProvider, InjectionToken, Type, ValueProvider } from '@nestjs/common';

/** A provider that takes the place of one of the service's own, as Nest's custom providers are written. */
export type Replacement = ClassProvider<object> | ValueProvider<object> | FactoryProvider<object>;

/** What takes the place of a provider: a class that is still to be created, or an object. */
export type Replaced<T> = { readonly useClass: Type<T> } | { readonly value: T };

/** The replacements of the composition, by their tokens. */
export class Replacements {
  private readonly replaced: Map<InjectionToken, Replaced<object> | undefined>;
  private readonly unused: Set<InjectionToken>;

  constructor(entries: readonly [InjectionToken, Replaced<object> | undefined][]) {
    this.replaced = new Map(entries);
    this.unused = new Set(this.replaced.keys());
  }

  /** The replacement of a provider; undefined without one. */
  find<T extends object>(token: InjectionToken<T>): Replaced<T> | undefined {
    this.unused.delete(token);
    return this.replaced.get(token) as Replaced<T> | undefined;
  }

  /** @throws Error when a replacement replaces nothing */
  assertAllUsed(): void {
    for (const token of this.unused) {
      const name = typeof token === 'function' ? token.name : String(token);
      throw new Error(
        `composition.replace names ${name}, but no feature of the composition has a replaceable provider of that name.`,
      );
    }
  }
}
