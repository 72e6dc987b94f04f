import { InvalidRequest } from '../../domain/domain-error.js';
import { toValid } from '../../http/validation.js';
import { NewPet } from '../../pets/pet.dto.js';

/** A row of the input: an animal to add, or why it is none. */
export type Row = { readonly line: number } & ({ readonly pet: NewPet } | { readonly reason: string });

/**
 * Makes a row by the rules that a request's body has to meet.
 *
 * @param line where the row starts
 * @param read gives the fields; throws InvalidRequest when they cannot be read
 */
export function toRow(line: number, read: () => object): Row {
  try {
    return { line, pet: toValid(NewPet, read()) };
  } catch (error) {
    if (error instanceof InvalidRequest) return { line, reason: error.message };
    throw error;
  }
}
