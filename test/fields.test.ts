import { describe, expect, test } from 'vitest';

import { EnumField, Int64Field, NameField, TextField } from '#src/http/field.decorators';
import { RequestValidationPipe } from '#src/http/validation.pipe';

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
  @TextField({ required: false, example: 'a' })
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
