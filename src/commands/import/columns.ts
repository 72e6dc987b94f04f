import { getMetadataStorage, ValidationTypes } from 'class-validator';

import { InvalidRequest } from '../../domain/errors.js';
import { NewPet } from '../../pets/pet.dto.js';

const RULES = getMetadataStorage().getTargetValidationMetadatas(NewPet, '', false, false);

/** The columns of a CSV file: the fields of the DTO. */
export const COLUMNS = [...new Set(RULES.map(({ propertyName }) => propertyName))];

const isOptional = (column: string) =>
  RULES.some((rule) => rule.propertyName === column && rule.type === ValidationTypes.CONDITIONAL_VALIDATION);

const isText = (column: string) => Reflect.getMetadata('design:type', NewPet.prototype, column) === String;

/**
 * Returns the header of a CSV file.
 *
 * @throws InvalidRequest when it lacks a required column, or names a column twice
 */
export function checkHeader(header: string[]): string[] {
  const required = COLUMNS.filter((column) => !isOptional(column));
  const named = header.filter((column) => COLUMNS.includes(column));
  if (new Set(named).size < named.length || required.some((column) => !named.includes(column))) {
    const columns = required.join(', ');
    throw new InvalidRequest(
      `The first line of a CSV file must name these columns once, in UTF-8: ${columns}.`,
    );
  }
  return header;
}

/** Converts the fields of a row to a JSON object. Fields of type string are texts, and all others are JSON. */
export function toJson(fields: Record<string, string>): string {
  const members = COLUMNS.flatMap((column) => {
    const { [column]: field = '' } = fields;
    // In CSV, an empty field stands for a missing value.
    if (field === '' && isOptional(column)) return [];
    return `"${column}":${isText(column) || !isJson(field) ? JSON.stringify(field) : field}`;
  });
  return `{${members.join()}}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
