import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

import { InvalidRequest } from '../../domain/errors.js';

/** The columns of a CSV file: the fields of a DTO. */
export class Columns {
  private readonly fields: readonly { name: string; isText: boolean; isOptional: boolean }[];

  constructor(dto: Type<object>) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const rulesByField = Object.groupBy(rules, ({ propertyName }) => propertyName);
    this.fields = Object.entries(rulesByField).map(([name, ofField = []]) => ({
      name,
      isText: Reflect.getMetadata('design:type', dto.prototype as object, name) === String,
      isOptional: ofField.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION),
    }));
  }

  /**
   * Returns the header of a CSV file.
   *
   * @throws InvalidRequest when it lacks a required column, or names a column twice
   */
  check(header: string[]): string[] {
    const required = this.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    const named = header.filter((column) => this.fields.some(({ name }) => name === column));
    if (new Set(named).size < named.length || required.some((name) => !named.includes(name))) {
      const columns = required.join(', ');
      throw new InvalidRequest(
        `The first line of a CSV file must name these columns once, in UTF-8: ${columns}.`,
      );
    }
    return header;
  }

  /** Converts the fields of a row to a JSON object. Fields of type string are texts, and all others are JSON. */
  toJson(row: Record<string, string>): string {
    const members = this.fields.flatMap(({ name, isText, isOptional }) => {
      const { [name]: field = '' } = row;
      // In CSV, an empty field stands for a missing value.
      if (field === '' && isOptional) return [];
      return `"${name}":${isText || !isJson(field) ? JSON.stringify(field) : field}`;
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
