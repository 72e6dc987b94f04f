import type { Abstract, FactoryProvider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import { Replacements } from './replacements.js';

/** Returns the providers of a class that a composition can replace. Default: an instance of the class. */
export function replaceable<T extends object>(provide: Type<T>): FactoryProvider[];
/** Returns the providers of a class that a composition can replace. Default: the other provider. */
export function replaceable<T extends object>(provide: Abstract<T>, useExisting: Type<T>): FactoryProvider[];
export function replaceable<T extends object>(
  provide: Type<T> | Abstract<T>,
  useExisting?: Type<T>,
): FactoryProvider[] {
  const provider: FactoryProvider<T> = {
    provide,
    inject: [Replacements, ModuleRef, ...(useExisting ? [useExisting] : [])],
    // The module creates the replacement, so that it can inject the same providers as the original.
    useFactory: (replacements: Replacements, moduleRef: ModuleRef, existing?: T): T | Promise<T> => {
      const replacement = replacements.find<T>(provide);
      if (!replacement) return existing ?? moduleRef.create(provide as Type<T>);
      return 'value' in replacement ? replacement.value : moduleRef.create(replacement.useClass);
    },
  };
  // A provider of its own, because a test can override the other one.
  const marker: FactoryProvider = {
    provide: Symbol('replaceable'),
    inject: [Replacements],
    useFactory: (replacements: Replacements) => {
      replacements.markReplaceable(provide);
    },
  };
  return [provider, marker];
}
