import type { Abstract, FactoryProvider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

import { Replacements } from './replacements.js';

/** A provider that a composition can replace. Without a replacement, it is an instance of its class. */
export function replaceable<T extends object>(provide: Type<T>): FactoryProvider<T>;
/** A provider that a composition can replace. Without a replacement, it is the given other provider. */
export function replaceable<T extends object>(provide: Abstract<T>, useExisting: Type<T>): FactoryProvider<T>;
export function replaceable<T extends object>(
  provide: Type<T> | Abstract<T>,
  useExisting?: Type<T>,
): FactoryProvider<T> {
  return {
    provide,
    inject: [Replacements, ModuleRef, ...(useExisting ? [useExisting] : [])],
    // Created here, a replacing class injects what the replaced one can inject.
    useFactory: (replacements: Replacements, moduleRef: ModuleRef, existing?: T): T | Promise<T> => {
      const replacement = replacements.find<T>(provide);
      if (!replacement) return existing ?? moduleRef.create(provide as Type<T>);
      return 'value' in replacement ? replacement.value : moduleRef.create(replacement.useClass);
    },
  };
}
