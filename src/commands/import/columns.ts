import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

import { InvalidRequest } from '../../domain/errors.js';

/** The columns of a CSV file: the fields of a DTO. */
export class Columns {
  private readonly names: readonly string[];
  private readonly optional: ReadonlySet<string>;
  private readonly texts: ReadonlySet<string>;

  constructor(dto: Type<object>) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const prototype = dto.prototype as object;
    const optional = rules.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
    this.names = [...new Set(rules.map(({ propertyName }) => propertyName))];
    this.optional = new Set(optional.map(({ propertyName }) => propertyName));
    this.texts = new Set(
      this.names.filter((name) => Reflect.getMetadata('design:type', prototype, name) === String),
    );
  }

  /**
   * Returns the header of a CSV file.
   *
   * @throws InvalidRequest when it lacks a required column, or names a column twice
   */
  check(header: string[]): string[] {
    const required = this.names.filter((name) => !this.optional.has(name));
    const named = header.filter((column) => this.names.includes(column));
    if (new Set(named).size < named.length || required.some((name) => !named.includes(name))) {
      const columns = required.join(', ');
      throw new InvalidRequest(
        `The first line of a CSV file must name these columns once, in UTF-8: ${columns}.`,
      );
    }
    return header;
  }

  /** Converts the fields of a row to a JSON object. Fields of type string are texts, and all others are JSON. */
  toJson(fields: Record<string, string>): string {
    const members = this.names.flatMap((name) => {
      const { [name]: field = '' } = fields;
      // In CSV, an empty field stands for a missing value.
      if (field === '' && this.optional.has(name)) return [];
      return `"${name}":${this.texts.has(name) || !isJson(field) ? JSON.stringify(field) : field}`;
    });
    return `{${members.join()}}`;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
