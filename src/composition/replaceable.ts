import type {
  Abstract,
  ClassProvider,
  FactoryProvider,
  INestApplication,
  InjectionToken,
  Provider,
  Type,
  ValueProvider,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';

/** A replacement of a provider, in the form of Nest's custom providers. */
export type Replacement = ClassProvider<object> | ValueProvider<object> | FactoryProvider<object>;

const nameOf = (token: InjectionToken) => (typeof token === 'function' ? token.name : String(token));
const replacementOf = (token: InjectionToken) => `replacement of ${nameOf(token)}`;
const markerOf = (token: InjectionToken) => `${nameOf(token)} is replaceable`;

/** Returns the provider of a class that a composition can replace. Default: an instance of the class. */
export function replaceable<T extends object>(provide: Type<T>): Provider[];
/** Returns the provider of a class that a composition can replace. Default: the other provider. */
export function replaceable<T extends object>(provide: Abstract<T>, useExisting: Type<T>): Provider[];
export function replaceable<T extends object>(
  provide: Type<T> | Abstract<T>,
  useExisting?: Type<T>,
): Provider[] {
  const provider: FactoryProvider<T> = {
    provide,
    inject: [
      ModuleRef,
      { token: replacementOf(provide), optional: true },
      ...(useExisting ? [useExisting] : []),
    ],
    // The module creates the replacement, so that it can inject the same providers as the original.
    useFactory: (moduleRef: ModuleRef, replacement?: Type<T> | T, existing?: T): T | Promise<T> =>
      typeof replacement === 'function'
        ? moduleRef.create(replacement)
        : (replacement ?? existing ?? moduleRef.create(provide as Type<T>)),
  };
  return [provider, { provide: markerOf(provide), useValue: true }];
}

/** Returns the providers of the replacements. A class is provided itself, because the module of the original creates it. */
export function replacementProviders(
  replacements: readonly Replacement[] = [],
): (ValueProvider | FactoryProvider)[] {
  return replacements.map(({ provide, ...replacement }) =>
    'useClass' in replacement
      ? { provide: replacementOf(provide), useValue: replacement.useClass }
      : { ...replacement, provide: replacementOf(provide) },
  );
}

/** @throws Error when a replacement replaces nothing */
export function assertReplaceable(app: INestApplication, replacements: readonly Replacement[] = []): void {
  const modules = [...app.get(ModulesContainer).values()];
  for (const { provide } of replacements) {
    if (modules.some(({ providers }) => providers.has(markerOf(provide)))) continue;
    throw new Error(
      `composition.replace names ${nameOf(provide)}, but no feature of the composition has a replaceable provider of that name.`,
    );
  }
}
