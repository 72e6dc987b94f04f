import { escapeIdentifier, escapeLiteral } from 'pg';
import { type EntityMetadata, PrimaryColumn, type ValueTransformer } from 'typeorm';

import { parseTrustedJson } from '../domain/json.js';

/** Converts a `bigint` column of an entity to a bigint. TypeORM alone returns strings. */
export const bigintTransformer: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : BigInt(value)),
  to: (value: unknown) => value,
};

/** Declares the id of an entity: the primary key, a bigint that the database generates. */
export const IdentityColumn = (primaryKeyConstraintName: string) =>
  PrimaryColumn({
    type: 'bigint',
    transformer: bigintTransformer,
    generated: 'identity',
    primaryKeyConstraintName,
  });

/** A column: its quoted name, its property, and its type by PostgreSQL's name. */
interface Column {
  readonly name: string;
  readonly property: string;
  readonly type: string;
  readonly metadata: EntityMetadata['columns'][number];
}

/**
 * The types whose JSON text of PostgreSQL is that of the values that pg returns. Others differ: pg returns a date with
 * time zone as a Date, a numeric as a text, and the int8 of an array as texts.
 */
const WRITTEN_ALIKE = /^(?:bigint|date|(?:smallint|integer|boolean|text|character varying|uuid)(?:\[\])?)$/;

/** The types without a form in JSON that an insert accepts again, and arrays whose items pg reads inexactly. */
const WITHOUT_JSON =
  /^(?:bytea|interval|point|line|lseg|box|path|polygon|circle|character)$|^(?!boolean|smallint|integer|bigint|real|double|numeric|text|character varying|uuid).*\[\]$/;

const DOUBLE_DIGITS = 15;

/**
 * The columns of an entity's table, for statements. `@Column({ insert: false })` excludes a column from inserts, so that
 * the database sets its default, and `@Column({ select: false })` excludes it from reads.
 */
export class Table {
  /** The columns to read, named by their properties: `"category_id" AS "categoryId"`. */
  readonly columns: string;
  /**
   * An expression for the columns to read as a JSON object, which has the text of `stringifyJson`. Undefined if
   * PostgreSQL writes a type of the columns in another way.
   */
  readonly json: string | undefined;
  /** An expression for the number of bytes of the texts of a row. PostgreSQL computes it without reading long texts. */
  readonly textBytes: string;
  private readonly tableName: string;
  /** The columns that inserts write, and the id. */
  private readonly inserted: readonly Column[];
  private readonly nullable: readonly string[];
  private readonly bigints: readonly string[];
  private readonly numerics: readonly string[];

  /** @throws Error when a column has a type that only TypeORM has, or that has no exact form in JSON */
  constructor({ tableName, columns, dataSource }: EntityMetadata) {
    for (const { type, databaseName, embeddedMetadata } of columns) {
      if (typeof type === 'string' && !/^(?:enum$|simple-)/.test(type) && !embeddedMetadata) continue;
      throw new Error(
        `The column ${databaseName} of ${tableName} must have a type of PostgreSQL, such as @Column('text'), and be a property of the entity itself.`,
      );
    }
    const described = columns.map((metadata): Column => ({
      name: escapeIdentifier(metadata.databaseName),
      property: metadata.propertyName,
      type: `${dataSource.driver.normalizeType(metadata)}${metadata.isArray ? '[]' : ''}`,
      metadata,
    }));
    const read = described
      .filter(({ metadata }) => metadata.isSelect)
      // The primary key is first, because it is never null.
      .sort((a, b) => Number(b.metadata.isPrimary) - Number(a.metadata.isPrimary));
    const inexact = read.find(
      ({ type, metadata: { precision } }) =>
        WITHOUT_JSON.test(type) || (type.startsWith('numeric') && (precision ?? Infinity) > DOUBLE_DIGITS),
    );
    if (inexact) {
      throw new Error(
        `The column ${inexact.property} of ${tableName} has the type ${inexact.type}, which has no exact form in JSON. Use a numeric with a precision of up to ${DOUBLE_DIGITS} or another type, or exclude the column with select: false.`,
      );
    }
    this.columns = read.map(({ name, property }) => `${name} AS ${escapeIdentifier(property)}`).join(', ');
    this.json = read.every(({ type }) => WRITTEN_ALIKE.test(type)) ? jsonObject(read) : undefined;
    const texts = read.filter(({ type }) => /^(?:text|character varying)/.test(type));
    this.textBytes = texts.map(bytesOf).join(' + ') || '0';
    this.bigints = read.filter(({ type }) => type === 'bigint').map(({ property }) => property);
    this.numerics = read.filter(({ type }) => type === 'numeric').map(({ property }) => property);
    this.nullable = read.filter(({ metadata }) => metadata.isNullable).map(({ property }) => property);
    this.tableName = tableName;
    this.inserted = described.filter(
      ({ metadata: { isInsert, isGenerated, isPrimary } }) => isInsert && (!isGenerated || isPrimary),
    );
  }

  /** Returns an INSERT of rows in their order. Its first parameter is a JSON array of the rows, by their properties. */
  insertFromJson(): string {
    const inserted = this.inserted.filter(({ metadata }) => !metadata.isGenerated);
    const properties = inserted.map(({ property }) => escapeIdentifier(property)).join(', ');
    const definitions = inserted
      .map(({ property, type }) => `${escapeIdentifier(property)} ${type}`)
      .join(', ');
    return `INSERT INTO ${this.tableName} (${namesOf(inserted)}) SELECT ${properties} FROM json_to_recordset($1::json) AS row (${definitions})`;
  }

  /**
   * Returns an INSERT of rows with their ids as a `VALUES` list, with its parameters. Citus inserts such a list many
   * times faster than the rows of a query.
   */
  insertValues(rows: readonly object[]): { text: string; values: unknown[] } {
    const { tableName, inserted } = this;
    const lists = rows.map((_row, index) => {
      const first = index * inserted.length + 1;
      return `(${inserted.map(({ type }, column) => `$${first + column}::${type}`).join(', ')})`;
    });
    return {
      text: `INSERT INTO ${tableName} (${namesOf(inserted)}) VALUES ${lists.join(', ')}`,
      values: (rows as Record<string, unknown>[]).flatMap((row) =>
        inserted.map(({ property }) => row[property]),
      ),
    };
  }

  /** Parses a JSON array of rows that {@link json} has written. */
  parse<Row extends object>(text: string): Row[] {
    const rows = parseTrustedJson(text) as Record<string, unknown>[];
    for (const row of rows) {
      for (const name of this.bigints) if (name in row) row[name] = BigInt(row[name] as number | bigint);
    }
    return rows as Row[];
  }

  /**
   * Replaces null in the columns of rows by undefined: a field without a value is absent in JSON. Replaces the text of a
   * numeric by its number.
   */
  withoutNulls<Row extends object>(rows: Row[]): Row[] {
    for (const row of rows as Record<string, unknown>[]) {
      for (const name of this.numerics) if (row[name] !== null) row[name] = Number(row[name]);
      for (const name of this.nullable) if (row[name] === null) row[name] = undefined;
    }
    return rows;
  }
}

function bytesOf({ name, type }: Column): string {
  const text = type.endsWith('[]') ? `${name}::text` : name;
  return `coalesce(octet_length(${text}), 0)`;
}

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

/** Returns an expression that skips null: a field without a value is absent. */
function jsonObject(columns: readonly Column[]): string {
  const fields = columns.map(({ name, property, type }, index) => {
    // The text of an integer is JSON already.
    const value = /^(?:smallint|integer|bigint)$/.test(type) ? name : `to_json(${name})`;
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(property)}:`;
    return `coalesce(${escapeLiteral(start)} || ${value}, '')`;
  });
  // The function `concat` would take longer.
  return `${fields.join(' || ')} || '}'`;
}
