import type { ClassProvider, Type } from '@nestjs/common';

/** A class that extends a DTO of the service and replaces it: `{ provide: NewPet, useClass: NewNicknamedPet }`. */
export type DtoReplacement = ClassProvider<object> & { readonly provide: Type };

/** The replacements, by the DTO classes that they replace. */
export type Dtos = ReadonlyMap<Type, Type>;

/** Injection token of the {@link Dtos}. */
export const DTOS = Symbol('Dtos');

/** @throws Error when a class does not extend the one that it replaces */
export function dtosOf(replacements: readonly DtoReplacement[]): Dtos {
  for (const { provide, useClass } of replacements) {
    if (Object.prototype.isPrototypeOf.call(provide, useClass)) continue;
    throw new Error(
      `composition.dtos replaces ${provide.name} by ${useClass.name}, which does not extend it.`,
    );
  }
  return new Map(replacements.map(({ provide, useClass }) => [provide, useClass]));
}
