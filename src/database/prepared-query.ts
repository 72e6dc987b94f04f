import type { Duplex } from 'node:stream';

import type pg from 'pg';
import { serialize } from 'pg-protocol';
import utils from 'pg/lib/utils.js';

/** A statement that the server parses and plans once a connection, under its name, with its values. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A column that a statement gives, and what reads the text of its values. */
export interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What knows how the values of a type are read. */
interface Types {
  getTypeParser(oid: number, format: 'text'): Column['parse'];
}

export type Callback = (error: Error | undefined, result?: { rows: unknown[] }) => void;

/** What pg's connections have; its types tell of those of long ago. */
interface Connection {
  readonly stream: Duplex;
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  sync(): void;
  sendCopyFail(reason: string): void;
}

/** Runs what is bound, to its end. */
const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()]);

/**
 * A prepared statement on its way through a client of pg, which calls what begins with `handle` for each message
 * of the server. pg's own query has the columns described with every run, and works out anew how they are read: all
 * in all, an eighth of the time of a single request. Here, that is done in the first run on a connection.
 * PostgreSQL refuses a prepared statement rather than give other columns than before.
 */
export class PreparedQuery implements pg.Submittable {
  readonly name: string;
  readonly text: string;
  private readonly rows: unknown[] = [];
  private columns: readonly Column[] | undefined;
  private fault: Error | undefined;

  /**
   * @param described the columns of the statements that have run on the connection, by their names
   */
  constructor(
    private readonly statement: PreparedStatement,
    private readonly described: Map<string, readonly Column[]>,
    private readonly types: Types,
    readonly callback: Callback,
  ) {
    this.name = statement.name;
    this.text = statement.text;
  }

  /** Sends the statement, or returns why it cannot be sent. */
  submit(submittedTo: object): Error | null {
    const connection = submittedTo as Connection;
    const { parsedStatements, submittedNamedStatements } = connection;
    const previous = parsedStatements[this.name] ?? submittedNamedStatements[this.name];
    if (previous !== undefined && previous !== this.text) {
      return new Error(`another statement is prepared under the name ${this.name}`);
    }
    let values: unknown[];
    try {
      values = this.statement.values.map(toText);
    } catch (error) {
      return error as Error;
    }
    this.columns = this.described.get(this.name);
    const messages = [serialize.bind({ statement: this.name, values })];
    if (previous === undefined) {
      messages.unshift(serialize.parse(this.statement));
      submittedNamedStatements[this.name] = this.text;
    }
    if (!this.columns) messages.push(serialize.describe({ type: 'P' }));
    messages.push(EXECUTE_AND_SYNC);
    // In one piece, which takes less of the time of a request.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
    return null;
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => {
      return { name, parse: this.types.getTypeParser(dataTypeID, 'text') };
    });
    this.described.set(this.name, this.columns);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.fault) return;
    try {
      if (this.columns?.length !== fields.length)
        throw new Error(`${this.name} gave other columns than before`);
      this.rows.push(rowOf(this.columns, fields));
    } catch (error) {
      this.fault = error as Error;
    }
  }

  handleError(error: Error): void {
    this.callback(this.fault ?? error);
  }

  handleReadyForQuery(): void {
    if (this.fault) this.callback(this.fault);
    else this.callback(undefined, { rows: this.rows });
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('there is nothing to copy from');
    // The server takes no notice of the one that was sent with the statement.
    connection.sync();
  }

  handleCopyData(): void {
    // Nobody asked for it.
  }

  handleCommandComplete(): void {
    // What the server did is told by its rows.
  }

  handleEmptyQuery(): void {
    // There are no rows.
  }

  handlePortalSuspended(): void {
    // All rows are asked for.
  }
}

/** What stands for itself between quotes, in the text of an array. */
const PLAIN = /^[^"\\]*$/;

/** Writes a value for the server. An array of texts or numbers takes pg longer than this. */
function toText(value: unknown): string | Buffer | null {
  if (!Array.isArray(value)) return utils.prepareValue(value);
  let text = '';
  for (const item of value as unknown[]) {
    const element = toElement(item);
    if (element === undefined) return utils.prepareValue(value);
    text += text === '' ? element : `,${element}`;
  }
  return `{${text}}`;
}

/** An element in the text of an array, unless pg has to write it. */
function toElement(item: unknown): string | undefined {
  if (item == null) return 'NULL';
  if (typeof item === 'bigint' || typeof item === 'number') return `${item}`;
  return typeof item === 'string' && PLAIN.test(item) ? `"${item}"` : undefined;
}

function rowOf(columns: readonly Column[], texts: readonly (string | null)[]): unknown {
  const row: Record<string, unknown> = {};
  columns.forEach(({ name, parse }, index) => {
    const text = texts[index];
    row[name] = typeof text === 'string' ? parse(text) : null;
  });
  return row;
}
