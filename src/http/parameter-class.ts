import type { Type } from '@nestjs/common';

/** A parameter of a method, and the class that is its type. */
interface Parameter {
  readonly dto: Type<object>;
  readonly target: object;
  readonly method: string | symbol;
  readonly descriptor: TypedPropertyDescriptor<unknown>;
  readonly index: number;
}

/**
 * Makes a decorator for parameters whose type is a DTO class.
 *
 * @param name the decorator's, for its errors
 * @throws TypeError where the parameter is none of a method, or no class is its type
 */
export function forParameterOfClass(
  name: string,
  decorate: (parameter: Parameter) => void,
): ParameterDecorator {
  return (target, method, index) => {
    const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
    if (method === undefined || !descriptor) throw new TypeError(`${name} is for parameters of methods`);
    const types = Reflect.getMetadata('design:paramtypes', target, method) as Type<object>[];
    const dto = types[index];
    if (!dto) throw new TypeError(`${name} is for parameters of a class`);
    decorate({ dto, target, method, descriptor, index });
  };
}
