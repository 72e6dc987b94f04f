import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

import { ImportStopped } from './input.js';

const SHOWN_LENGTH = 200;

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

  /** @throws ImportStopped when it lacks a required column, names a column twice, or contains a carriage return */
  check(header: string[]): string[] {
    if (header.some((name) => name.includes('\r'))) {
      throw new ImportStopped('the lines end in CR: save the file with LF or CRLF');
    }
    const required = this.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    const named = header.filter((column) => this.fields.some(({ name }) => name === column));
    const isComplete = required.every((name) => named.includes(name));
    if (isComplete && new Set(named).size === named.length) return header;
    const list = Buffer.from(header.map((name) => JSON.stringify(name)).join(', '), 'latin1').toString();
    const shown = list.length > SHOWN_LENGTH ? `${list.slice(0, SHOWN_LENGTH)}…` : list;
    throw new ImportStopped(
      `the header names ${shown}, but must name each of these columns once: ${required.join(', ')}. The import has stopped`,
    );
  }

  /** Converts the fields of a row to a JSON object. Fields of type string are texts, and all others are JSON. */
  toJson(header: readonly string[], row: readonly string[]): string {
    const members = this.fields.flatMap(({ name, isText, isOptional }) => {
      const field = row[header.indexOf(name)] ?? '';
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
