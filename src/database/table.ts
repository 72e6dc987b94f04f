import { type EntityMetadata, PrimaryColumn, type ValueTransformer } from 'typeorm';

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

type Property<Entity> = keyof Entity & string;

/** A column that inserts have. */
interface InsertedColumn<Entity> {
  readonly name: string;
  readonly type: string;
  readonly property: Property<Entity>;
}

/** The columns of an entity's table, for statements. `@Column({ insert: false })` excludes a column from inserts. */
export class Table<Entity extends object> {
  readonly name: string;
  /** The columns to read, named by their properties: `id, category_id AS "categoryId"`. */
  readonly columns: string;
  private readonly inserted: readonly InsertedColumn<Entity>[];
  private readonly nullable: readonly string[];

  constructor({ tableName, columns }: EntityMetadata, hidden: readonly string[]) {
    const read = columns.filter(({ propertyName }) => !hidden.includes(propertyName));
    const inserted = columns.filter(({ isInsert, isGenerated }) => isInsert && !isGenerated);
    this.name = tableName;
    this.columns = read
      .map(({ databaseName: name, propertyName }) => `${name} AS "${propertyName}"`)
      .join(', ');
    this.nullable = read.filter(({ isNullable }) => isNullable).map(({ propertyName }) => propertyName);
    this.inserted = inserted.map(({ databaseName, propertyName, type, isArray }) => ({
      name: databaseName,
      type: `${type as string}${isArray ? '[]' : ''}`,
      property: propertyName as Property<Entity>,
    }));
  }

  /** The names of the inserted columns: `name, category_id, status`. */
  private get insertedNames(): string {
    return this.inserted.map(({ name }) => name).join(', ');
  }

  /** Returns an INSERT of rows in their order. Its first parameter is a JSON array of the rows, by their properties. */
  insertFromJson(): string {
    const properties = this.inserted.map(({ property }) => `"${property}"`).join(', ');
    const definitions = this.inserted.map(({ property, type }) => `"${property}" ${type}`).join(', ');
    return `INSERT INTO ${this.name} (${this.insertedNames})
            SELECT ${properties} FROM json_to_recordset($1::json) AS row (${definitions})`;
  }

  /**
   * Returns an INSERT of rows as a `VALUES` list, with its parameters. Citus inserts such a list many times faster than
   * the rows of a query.
   */
  insertValues(rows: readonly object[]): { text: string; values: unknown[] } {
    const { inserted, name } = this;
    const lists = rows.map((_row, index) => {
      const first = index * inserted.length + 1;
      return `(${inserted.map(({ type }, column) => `$${first + column}::${type}`).join(', ')})`;
    });
    return {
      text: `INSERT INTO ${name} (${this.insertedNames}) VALUES ${lists.join(', ')}`,
      values: rows.flatMap((row: Partial<Entity>) => inserted.map(({ property }) => row[property])),
    };
  }

  /** Replaces null in the columns of rows by undefined: a field without a value is absent in JSON. */
  withoutNulls<Row extends object>(rows: Row[]): Row[] {
    for (const row of rows as Record<string, unknown>[]) {
      for (const name of this.nullable) if (row[name] === null) row[name] = undefined;
    }
    return rows;
  }
}
