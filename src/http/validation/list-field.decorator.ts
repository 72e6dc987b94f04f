import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type as TypeOf } from 'class-transformer';
import { ValidateNested } from 'class-validator';

import type { FieldOptions } from './field.decorators.js';
import { describeValue, isObject, must, rule } from './rule.js';
import { checkText } from './text.js';

/**
 * A field with a list.
 *
 * @param item the class of the items: `String` for texts that PostgreSQL can store, or a DTO class
 * @param options `maxItems` and, for texts, `maxItemLength` in characters
 */
export function ListField(
  item: Type<object> | StringConstructor,
  {
    maxItems,
    maxItemLength,
    required = true,
    ...options
  }: Partial<FieldOptions> & { maxItems: number; maxItemLength?: number },
): PropertyDecorator {
  const isText = item === String;
  const checkItem = isText
    ? (value: unknown) => checkText(value, maxItemLength)
    : must('be an object', isObject);
  const checkList = (value: unknown) => {
    if (!Array.isArray(value)) return `must be a list, not ${describeValue(value)}`;
    if (value.length > maxItems) return `must have at most ${maxItems} items, not ${value.length}`;
    const index = value.findIndex((item) => checkItem(item) !== undefined);
    return index < 0 ? undefined : `must have valid items: item ${index + 1} ${checkItem(value[index])}`;
  };
  const maxLength = isText && maxItemLength !== undefined ? { maxLength: maxItemLength } : {};
  return applyDecorators(
    isText
      ? ApiProperty({
          type: 'array',
          items: { type: 'string', ...maxLength },
          maxItems,
          required,
          ...options,
        })
      : ApiProperty({ type: [item], maxItems, required, ...options }),
    rule('list', checkList, required),
    ...(isText ? [] : [TypeOf(() => item), ValidateNested({ each: true })]),
  );
}
