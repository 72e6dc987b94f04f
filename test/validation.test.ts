import 'reflect-metadata';

import { Type } from 'class-transformer';
import {
  Allow,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  MinLength,
  registerDecorator,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  validateSync,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { expect, test } from 'vitest';

import { toValid } from '#src/http/validation';

/** A rule that answers with a promise, which cannot be waited for. */
const Asynchronous = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'asynchronous',
    target: target.constructor,
    propertyName: propertyName as string,
    validator: { validate: () => Promise.resolve(false), defaultMessage: () => 'is late.' },
  });

class Place {
  @IsString()
  readonly street!: string;
}

class Visit {
  @IsString()
  @MinLength(2)
  @MaxLength(4)
  readonly name!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  readonly count?: number;

  @ValidateIf((visit: Visit) => visit.count !== undefined)
  @IsString()
  readonly reason?: string;

  @IsString({ each: true })
  readonly tags: string[] = [];

  @ValidateNested()
  @Type(() => Place)
  readonly place: Place = Object.assign(new Place(), { street: 'Main Street' });

  @Allow()
  readonly note?: unknown;
}

test('the rules of class-validator hold, and name what breaks them', () => {
  expect(toValid(Visit, { name: 'cat' })).toMatchObject({ name: 'cat', tags: [] });
  expect(toValid(Visit, { name: 'cat', count: 1, reason: 'a cold', tags: ['a'], note: 7 })).toMatchObject({
    reason: 'a cold',
    note: 7,
  });
  const messageOf = (plain: object) => {
    try {
      toValid(Visit, plain);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  expect(messageOf({})).toMatch(/^name must be /);
  expect(messageOf({ name: 'a' })).toMatch(/^name must be longer than/);
  expect(messageOf({ name: 'abcde' })).toMatch(/^name must be shorter than/);
  expect(messageOf({ name: 'cat', count: 0, reason: 'a cold' })).toMatch(/^count must not be less than 1/);
  expect(messageOf({ name: 'cat', count: 1 })).toMatch(/^reason must be a string/);
  expect(messageOf({ name: 'cat', tags: ['a', 1] })).toMatch(/^each value in tags must be a string/);
  expect(messageOf({ name: 'a', count: 0, reason: 1 })).toMatch(/name .* count .* reason /);
});

test('rules with texts of their own, and those that stop others, answer as class-validator does', () => {
  class Note {
    @MinLength(2, { message: 'the title is too short' })
    readonly title!: string;

    // It would throw where the first has not refused the value.
    @IsDefined()
    @ValidateBy({ name: 'long', validator: { validate: (value: string) => value.length > 1 } })
    readonly text!: string;
  }
  expect(toValid(Note, { title: 'ab', text: 'cd' })).toEqual({ title: 'ab', text: 'cd' });
  expect(() => toValid(Note, { title: 'a', text: 'cd' })).toThrow('the title is too short');
  expect(() => toValid(Note, { title: 'ab' })).toThrow('text should not be null or undefined');
});

test.each<[body: object, isValid: boolean]>([
  [{ title: 'ab' }, true],
  [{ title: 'a' }, false],
  [{ title: 'ab', count: 1 }, true],
  [{ title: 'ab', count: 0 }, false],
  [{ title: 'ab', count: null }, true],
  [{ title: 'ab', kind: 'x' }, false],
  [{ title: 'ab', kind: 'cat' }, true],
  [{ count: 1 }, false],
])('of a class with nothing but plain rules, %j is valid: %j', (body, isValid) => {
  class Base {
    @IsString()
    @MinLength(2, { message: 'too short' })
    readonly title!: string;
  }
  class Plain extends Base {
    @IsOptional()
    @IsInt()
    @Min(1, { groups: ['any'] })
    readonly count?: number;

    @ValidateIf((_object, value) => value !== undefined)
    @IsIn(['cat', 'dog'])
    readonly kind?: string;
  }
  const outcome = (() => {
    try {
      return toValid(Plain, body);
    } catch {
      return undefined;
    }
  })();
  expect(outcome !== undefined).toBe(isValid);
  expect(validateSync(Object.assign(new Plain(), body)).length === 0).toBe(isValid);
});

test('a constraint that is declared to answer later is not asked', () => {
  let asked = 0;
  @ValidatorConstraint({ async: true })
  class Lookup implements ValidatorConstraintInterface {
    validate() {
      asked++;
      return Promise.reject(new Error('nobody waits for this'));
    }
  }
  class Looked {
    @Validate(Lookup)
    readonly name!: string;
  }
  expect(toValid(Looked, { name: 'cat' })).toEqual({ name: 'cat' });
  expect(asked).toBe(0);
});

test('a nested object is looked into', () => {
  const place = Object.assign(new Place(), { street: 1 });
  expect(() => toValid(Visit, { name: 'cat', place })).toThrow();
});

test('fields that the class does not know are left out, whatever they hold', () => {
  const plain = JSON.parse('{"name":"cat","__proto__":{"admin":true},"constructor":1,"other":2}') as object;
  expect(Object.keys(toValid(Visit, plain)).sort()).toEqual(['name', 'place', 'tags']);
});

test('a class without rules takes nothing', () => {
  class Unruled {
    readonly name: string = 'cat';
  }
  expect(() => toValid(Unruled, {})).toThrow();
});

test('a rule that answers later is left out, as it cannot be waited for', () => {
  class Late {
    @Asynchronous()
    readonly name!: string;
  }
  expect(toValid(Late, { name: 'cat' })).toEqual({ name: 'cat' });
});
