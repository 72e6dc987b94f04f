import { parse } from 'csv-parse/sync';

import { InvalidRequest } from '../../domain/errors.js';
import { parseInteger } from '../../domain/json.js';
import { printable } from '../printable.js';
import { EventLoopTurn } from './event-loop-turn.js';
import { ImportError } from './import-error.js';
import { type Line, ROW_LIMIT_BYTES, textOf } from './lines.js';
import { type Row, toRow } from './row.js';

/**
 * Reads CSV (RFC 4180) whose first record names the columns. Unknown columns are ignored.
 *
 * @throws ImportError when the first record does not name the columns
 */
export async function* readCsv(lines: AsyncIterator<Line, undefined>): AsyncGenerator<Row> {
  let header: string[] | undefined;
  for await (const { line, fields } of recordsOf(lines)) {
    if (header) {
      const columns = header;
      yield await toRow(line, () => toFields(columns, fields));
    } else {
      header = toHeader(fields);
    }
  }
  if (!header) toHeader([]);
}

interface CsvRecord {
  /** The number of the first line. */
  readonly line: number;
  /** The fields, or the error that prevents reading them. */
  readonly fields: string[] | InvalidRequest;
}

/** The maximum number of lines of a record. A name has at most 20,000 characters. */
const MAX_RECORD_LINES = 20_000;

class BrokenQuotes extends InvalidRequest {
  constructor(cause?: unknown) {
    super('The row has invalid quotes: quotes must enclose a whole field, and be doubled inside it.', cause);
  }
}

/**
 * Joins lines to records: a line with an open quote continues to the line that closes it. If these lines are not a
 * valid record, only the first line is refused and the others are read again. So a stray quote affects only its own
 * row.
 */
async function* recordsOf(lines: AsyncIterator<Line, undefined>): AsyncGenerator<CsvRecord> {
  // The lines to read again, in reverse order, because removing the first item of a long array is slow.
  const again: Line[] = [];
  const turn = new EventLoopTurn();
  const next = async () => {
    await turn.yieldIfLong();
    return again.pop() ?? (await lines.next()).value;
  };
  for (let first = await next(); first; first = await next()) {
    const record = [first];
    let size = first.bytes.length;
    for (
      let open = hasOpenQuote(first);
      open && size <= ROW_LIMIT_BYTES && record.length < MAX_RECORD_LINES;
    ) {
      const line = await next();
      if (!line) break;
      record.push(line);
      size += line.bytes.length + 1;
      open = !hasOpenQuote(line);
    }
    const fields = split(record);
    if (fields instanceof BrokenQuotes) for (const line of record.slice(1).reverse()) again.push(line);
    if (fields instanceof InvalidRequest || fields.length > 0) yield { line: first.number, fields };
  }
}

const QUOTE = 0x22;

/** Returns whether a line has an odd number of quotes. Quotes inside a field are doubled and do not matter. */
function hasOpenQuote({ bytes }: Line): boolean {
  let open = false;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) open = !open;
  return open;
}

/** Returns the fields of a record. An empty line has none. */
function split(record: Line[]): string[] | InvalidRequest {
  const bytes = Buffer.concat(record.flatMap(({ bytes }) => [LINE_FEED, bytes])).subarray(LINE_FEED.length);
  if (record.length > 1 && bytes.length > ROW_LIMIT_BYTES) return new BrokenQuotes();
  try {
    const [fields = []] = parse(textOf(bytes).replace(/\r$/, ''), { record_delimiter: '\n' });
    return fields;
  } catch (error) {
    return error instanceof InvalidRequest ? error : new BrokenQuotes(error);
  }
}

const LINE_FEED = Buffer.from('\n');

function toHeader(fields: CsvRecord['fields']): string[] {
  if (fields instanceof InvalidRequest) {
    throw new ImportError(`The first line of the CSV file cannot be read. ${fields.message}`);
  }
  if (!fields.includes('name') || !fields.includes('categoryId')) {
    throw new ImportError(
      'The first line of a CSV file must name the columns, separated by commas, including name and categoryId.',
    );
  }
  const repeated = fields.find((column, index) => column !== '' && fields.indexOf(column) !== index);
  if (repeated === undefined) return fields;
  throw new ImportError(`The first line of the CSV file names the column ${printable(repeated)} twice.`);
}

/** @throws InvalidRequest when the record does not have a field for each column */
function toFields(header: string[], fields: CsvRecord['fields']): object {
  if (fields instanceof InvalidRequest) throw fields;
  if (fields.length !== header.length) {
    throw new InvalidRequest(`The row has ${fields.length} fields, but the header has ${header.length}.`);
  }
  const field = (column: string) => fields[header.indexOf(column)];
  return {
    name: field('name'),
    categoryId: numberOf(field('categoryId')),
    // In CSV, an empty field stands for a missing value.
    status: field('status') === '' ? undefined : field('status'),
  };
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the integer if the text is a number in the syntax of JSON. Otherwise returns the text. */
function numberOf(text: string | undefined): unknown {
  return text !== undefined && JSON_NUMBER.test(text) ? (parseInteger(text) ?? text) : text;
}
