import { Matches } from 'class-validator';
import { describe, expect, test } from 'vitest';

import { EnumField, Int64Field, NameField, TextField } from '#src/http/validation/field.decorators';
import { RequestValidationPipe } from '#src/http/validation/validation.pipe';

const SIZE = { Small: 'small' };
const SIZE_SCHEMA = { name: 'Size', description: 'A size.' };

class Required {
  @Int64Field({ example: 1 })
  readonly count!: bigint;
  @TextField({ example: 'a' })
  readonly text!: string;
  @NameField({ example: 'a' })
  readonly name!: string;
  @EnumField(SIZE, SIZE_SCHEMA, { example: 'small' })
  readonly size!: string;
}

class Optional {
  @Int64Field({ required: false, example: 1 })
  readonly count?: bigint;
  @TextField({ required: false, maxLength: 3, example: 'a' })
  readonly text?: string;
  @NameField({ required: false, example: 'a' })
  readonly name?: string;
  @EnumField(SIZE, SIZE_SCHEMA, { required: false, example: 'small' })
  readonly size?: string;
}

const FIELDS = ['count', 'text', 'name', 'size'];

const validate = (metatype: new () => object, body: object) =>
  new RequestValidationPipe().transform(body, { type: 'body', metatype });

describe('a field', () => {
  test('is required by default', async () => {
    const message = FIELDS.map((field) => `${field} is required.`).join(' ');
    await expect(validate(Required, {})).rejects.toThrow(message);
  });

  test.each<[string, unknown, string]>([
    ['count', 'abc', 'must be an integer from -9223372036854775808 to 9223372036854775807, not "abc".'],
    ['count', NaN, 'must be an integer from -9223372036854775808 to 9223372036854775807, not a fraction.'],
    ['text', 5, 'must be a string, not 5.'],
    ['text', 'abcd', 'must have at most 3 characters, not 4.'],
    ['text', '\0', 'must not contain the character U+0000.'],
    ['text', '\ud800', 'must not contain a lone surrogate.'],
    ['name', {}, 'must be a string, not an object.'],
    ['name', '', 'must have 1 to 64 characters, not 0.'],
    ['name', '🐱'.repeat(65), 'must have 1 to 64 characters, not 65.'],
    ['name', '  ', 'must contain a visible character, not only spaces.'],
    ['name', '\u3164', 'must contain a visible character, not only spaces.'],
    ['name', 'a\nb', 'must be on one line, without control and format characters.'],
    ['size', 'x'.repeat(1000), `must be one of small, not "${'x'.repeat(40)}…".`],
  ])('%s: %j: says what is wrong and what is right', async (field, value, problem) => {
    await expect(validate(Optional, { [field]: value })).rejects.toThrow(`${field} ${problem}`);
  });

  test('keeps its rule when a subclass adds one of class-validator', async () => {
    class Narrower extends Optional {}
    Matches(/^a/)(Narrower.prototype, 'text');
    await expect(validate(Narrower, { text: 'abcd' })).rejects.toThrow('at most 3 characters');
  });

  test('may be absent if it is optional', async () => {
    await expect(validate(Optional, {})).resolves.toBeInstanceOf(Optional);
  });

  test.each([Required, Optional])('refuses null and values of another type: %o', async (metatype) => {
    for (const field of FIELDS) {
      for (const value of [null, []]) {
        await expect(validate(metatype, { [field]: value })).rejects.toThrow(`${field} must `);
      }
    }
  });
});
