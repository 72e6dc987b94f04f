import { Matches } from 'class-validator';
import { describe, expect, test } from 'vitest';

import { toErrorResponse } from '#src/http/errors/error-response';
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

const NAME_REQUIREMENT =
  'be a string of 1 to 64 characters on one line, with a visible one and without control and format characters';

/** Returns the valid object, or throws an error with the message of the response. */
async function validate(metatype: new () => object, body: object): Promise<unknown> {
  try {
    return await new RequestValidationPipe().transform(body, { type: 'body', metatype });
  } catch (error) {
    throw new Error(toErrorResponse(error).body.message, { cause: error });
  }
}

describe('a field', () => {
  test('is required by default', async () => {
    const message = FIELDS.map((field) => `${field} is required.`).join(' ');
    await expect(validate(Required, {})).rejects.toThrow(message);
  });

  test.each<[string, unknown, string]>([
    ['count', 'abc', 'must be an integer from -9223372036854775808 to 9223372036854775807, not "abc".'],
    ['count', NaN, 'must be an integer from -9223372036854775808 to 9223372036854775807, not a fraction.'],
    ['text', 5, 'must be a string of at most 3 characters, not 5.'],
    ['text', 'abcd', 'must be a string of at most 3 characters, not "abcd".'],
    ['text', '\0', 'must not contain the character U+0000.'],
    ['text', '\ud800', 'must not contain a lone surrogate.'],
    ['name', {}, `must ${NAME_REQUIREMENT}, not an object.`],
    ['name', '', `must ${NAME_REQUIREMENT}, not "".`],
    ['name', '🐱'.repeat(65), `must ${NAME_REQUIREMENT}, not "${'🐱'.repeat(20)}…".`],
    ['name', '  ', `must ${NAME_REQUIREMENT}, not "  ".`],
    ['name', '\u3164', `must ${NAME_REQUIREMENT}, not "\u3164".`],
    ['name', 'a\nb', `must ${NAME_REQUIREMENT}, not "a\\nb".`],
    ['size', 'x'.repeat(1000), `must be one of small, not "${'x'.repeat(40)}…".`],
  ])('%s: %j: says what is wrong and what is right', async (field, value, problem) => {
    await expect(validate(Optional, { [field]: value })).rejects.toThrow(`${field} ${problem}`);
  });

  test('keeps its rule when a subclass adds one of class-validator', async () => {
    class Narrower extends Optional {}
    Matches(/^a/)(Narrower.prototype, 'text');
    await expect(validate(Narrower, { text: 'abcd' })).rejects.toThrow('at most 3 characters');
  });
});
