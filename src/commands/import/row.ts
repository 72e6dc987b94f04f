import { InvalidRequest } from '../../domain/errors.js';
import { RequestValidationPipe } from '../../http/validation/validation.pipe.js';
import { NewPet } from '../../pets/pet.dto.js';

/** A row of the input: an animal to add, or the reason to refuse the row. */
export type Row = { readonly line: number } & ({ readonly pet: NewPet } | { readonly reason: string });

const pipe = new RequestValidationPipe();

/**
 * Validates a row like the body of a request.
 *
 * @param line the line on which the row starts
 * @param read returns the fields; throws InvalidRequest when they cannot be read
 */
export async function toRow(line: number, read: () => object): Promise<Row> {
  try {
    return { line, pet: (await pipe.transform(read(), { type: 'body', metatype: NewPet })) as NewPet };
  } catch (error) {
    if (error instanceof InvalidRequest) return { line, reason: error.message };
    throw error;
  }
}
