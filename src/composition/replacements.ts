import type { ClassProvider, FactoryProvider, InjectionToken, Type, ValueProvider } from '@nestjs/common';

/** A replacement of a provider, in the form of Nest's custom providers. */
export type Replacement = ClassProvider<object> | ValueProvider<object> | FactoryProvider<object>;

/** The replacement of a provider: a class without an instance, or an object. */
export type Replaced<T> = { readonly useClass: Type<T> } | { readonly value: T };

/** The replacements of the composition, by their tokens. */
export class Replacements {
  private readonly replaced: Map<InjectionToken, Replaced<object> | undefined>;
  private readonly unused: Set<InjectionToken>;

  constructor(entries: readonly [InjectionToken, Replaced<object> | undefined][]) {
    this.replaced = new Map(entries);
    this.unused = new Set(this.replaced.keys());
  }

  /** Returns the replacement of a provider, or undefined. */
  find<T extends object>(token: InjectionToken<T>): Replaced<T> | undefined {
    return this.replaced.get(token) as Replaced<T> | undefined;
  }

  /** Declares that the composition has a provider that can be replaced. */
  markReplaceable(token: InjectionToken): void {
    this.unused.delete(token);
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
