import { parse } from 'csv-parse/sync';

import { InvalidRequest } from '../../domain/domain-error.js';
import { parseInteger } from '../../domain/json.js';
import { ImportError } from './import-error.js';
import { type Line, ROW_LIMIT_BYTES, textOf } from './lines.js';
import { type Row, toRow } from './row.js';

/** Reads CSV (RFC 4180) whose first record names the columns. Columns that it does not know are left out. */
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
  /** Where the record starts. */
  readonly line: number;
  /** Its fields, or why it has none. */
  readonly fields: string[] | InvalidRequest;
}

class BrokenQuotes extends InvalidRequest {
  constructor(cause?: unknown) {
    super('Its quotes are not those of CSV: around a whole field, and doubled within it.', cause);
  }
}

/**
 * Puts lines together to records: a line that leaves a quote open goes on in the next ones, up to the one that closes
 * it. When that gives no record, only its first line is a bad row, and the others are looked at anew: so a stray quote
 * costs the row it is in, and none of those that follow.
 */
async function* recordsOf(lines: AsyncIterator<Line, undefined>): AsyncGenerator<CsvRecord> {
  let again: Line[] = [];
  const next = async () => again.shift() ?? (await lines.next()).value;
  for (let first = await next(); first; first = await next()) {
    const record = [first];
    let size = first.bytes.length;
    for (let open = hasOpenQuote(first); open && size <= ROW_LIMIT_BYTES;) {
      const line = await next();
      if (!line) break;
      record.push(line);
      size += line.bytes.length + 1;
      open = !hasOpenQuote(line);
    }
    const fields = split(record);
    if (fields instanceof BrokenQuotes) again = [...record.slice(1), ...again];
    if (fields instanceof InvalidRequest || fields.length > 0) yield { line: first.number, fields };
  }
}

const QUOTE = 0x22;

/** Whether a line opens a quote without closing it, or the other way round: a quote within quotes is two. */
function hasOpenQuote({ bytes }: Line): boolean {
  let open = false;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) open = !open;
  return open;
}

/** The fields of a record; none when it is an empty line. */
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
  if (Array.isArray(fields) && fields.includes('name') && fields.includes('categoryId')) return fields;
  throw new ImportError(
    'The first line of a CSV file must name its columns, name and categoryId among them.',
  );
}

/** @throws InvalidRequest when the record is not one of the columns */
function toFields(header: string[], fields: CsvRecord['fields']): object {
  if (fields instanceof InvalidRequest) throw fields;
  if (fields.length !== header.length) {
    throw new InvalidRequest(`It has ${fields.length} fields, and the header has ${header.length}.`);
  }
  const field = (column: string) => fields[header.indexOf(column)];
  return {
    name: field('name'),
    categoryId: numberOf(field('categoryId')),
    // CSV has no way to leave a field out but to leave it empty.
    status: field('status') === '' ? undefined : field('status'),
  };
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What the text would be as a number in JSON; the text itself when it is none. */
function numberOf(text: string | undefined): unknown {
  return text !== undefined && JSON_NUMBER.test(text) ? (parseInteger(text) ?? text) : text;
}
