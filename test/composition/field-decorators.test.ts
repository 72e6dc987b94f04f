import { describe, expect, test } from 'vitest';

import { IntegerField, ObjectField, TextField } from '#src/http/validation/field.decorators';
import { ListField } from '#src/http/validation/list-field.decorator';
import { RequestValidationPipe } from '#src/http/validation/validation.pipe';

class Owner {
  @TextField({ maxLength: 5, example: 'Ann' })
  readonly name!: string;
}

class Visit {
  @IntegerField({ min: 1, max: 90, example: 4 })
  readonly weight!: number;

  @ObjectField(Owner)
  readonly owner!: Owner;

  @ListField(Owner, { maxItems: 2, required: false })
  readonly others?: Owner[];

  @ListField(String, { maxItems: 2, maxItemLength: 5, required: false })
  readonly tags?: string[];
}

const VISIT = { weight: 4, owner: { name: 'Ann' } };

const validate = (fields: object) =>
  new RequestValidationPipe().transform({ ...VISIT, ...fields }, { type: 'body', metatype: Visit });

describe('field decorators', () => {
  test('make instances of the classes of nested objects, without other fields', async () => {
    const visit = (await validate({ others: [{ name: 'Bob', vip: true }], tags: ['calm'] })) as Visit;
    expect(visit.owner).toBeInstanceOf(Owner);
    expect(visit.others?.[0]).toBeInstanceOf(Owner);
    expect(visit).toEqual({ ...VISIT, others: [{ name: 'Bob' }], tags: ['calm'] });
  });

  test.each<[object, string]>([
    [{ weight: 0 }, 'weight must be an integer from 1 to 90, not 0.'],
    [{ weight: 1.5 }, 'weight must be an integer from 1 to 90, not 1.5.'],
    [{ weight: '4' }, 'weight must be an integer from 1 to 90, not "4".'],
    [{ weight: undefined }, 'weight is required.'],
    [{ owner: undefined }, 'owner is required.'],
    [{ owner: 'Ann' }, 'owner must be an object, not "Ann".'],
    [{ owner: [] }, 'owner must be an object, not a list.'],
    [{ owner: { name: 'Annabel' } }, 'owner.name must have at most 5 characters, not 7.'],
    [{ others: null }, 'others must be a list, not null.'],
    [{ others: [{ name: 5 }] }, 'others.0.name must be a string, not 5.'],
    [{ others: ['Bob'] }, 'others must have valid items: item 1 must be an object, not "Bob".'],
    [{ tags: ['a', 'b', 'c'] }, 'tags must have at most 2 items, not 3.'],
    [{ tags: ['a', 5] }, 'tags must have valid items: item 2 must be a string, not 5.'],
  ])('refuse %j', async (fields, message) => {
    await expect(validate(fields)).rejects.toThrow(message);
  });

  test('report at most 50 errors', async () => {
    class Herd {
      @ListField(Owner, { maxItems: 100 })
      readonly owners!: Owner[];
    }
    const herd = { owners: Array.from({ length: 100 }, () => ({ name: 5 })) };
    const validated = new RequestValidationPipe().transform(herd, { type: 'body', metatype: Herd });
    const error: unknown = await validated.catch((reason: unknown) => reason);
    expect(String(error).split('must be a string')).toHaveLength(51);
  });
});
