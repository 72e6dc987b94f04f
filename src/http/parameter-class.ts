import type { Type } from '@nestjs/common';

/** A method whose parameter is decorated. */
interface Method {
  readonly name: string | symbol;
  readonly descriptor: TypedPropertyDescriptor<unknown>;
}

/**
 * Makes a decorator for parameters that are DTOs out of one that is told the parameter's class.
 *
 * @throws TypeError where the parameter is none of a method, or no class is its type
 */
export function forParameterOfClass(
  decorate: (dto: Type<object>, target: object, method: Method, index: number) => void,
): ParameterDecorator {
  return (target, name, index) => {
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
    if (name === undefined || !descriptor) throw new TypeError('this decorator is for parameters of methods');
    const types = Reflect.getMetadata('design:paramtypes', target, name) as Type<object>[];
    const dto = types[index];
    if (!dto) throw new TypeError('this decorator is for parameters of a class');
    decorate(dto, target, { name, descriptor }, index);
  };
}
