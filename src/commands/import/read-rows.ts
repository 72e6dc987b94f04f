import { pipeline } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { BODY_LIMIT_BYTES } from '../../limits.js';
import type { Columns } from './columns.js';
import { ImportStopped, type Input, type Row } from './input.js';

const SEPARATORS = [',', ';', '\t'];

/**
 * Reads the rows of CSV, or of NDJSON if there are no columns.
 *
 * @param skip called for each blank row
 * @throws ImportStopped when the input cannot be read to its end
 */
export async function* readRows(
  { firstLine, content }: Input,
  skip: () => void,
  columns?: Columns,
): AsyncGenerator<Row> {
  const separator = columns ? separatorOf(firstLine) : '\n';
  let nextLine = 1;
  let header: readonly string[] | undefined;
  const toRow = (fields: string[]): Row | null => {
    const text = fields.join('');
    const place = `line ${nextLine}`;
    nextLine += text.split('\n').length;
    if (text.trim() === '') skip();
    else if (!columns) return { place, json: Buffer.from(text, 'latin1') };
    else if (header) {
      const isWhole = fields.length === header.length;
      const json = isWhole ? Buffer.from(columns.toJson(header, fields), 'latin1') : undefined;
      return { place, json, csv: { header, fields, separator } };
    } else header = columns.check(fields);
    return null;
  };
  const parser = parse({
    // A record of NDJSON is a line with one field. Names may contain the other line separators of Unicode.
    record_delimiter: ['\n', '\r\n'],
    delimiter: separator,
    ...(!columns && { quote: null }),
    relax_column_count: true,
    max_record_size: BODY_LIMIT_BYTES,
    // Each byte becomes a character. So the limit counts bytes, and invalid UTF-8 affects only its row.
    encoding: 'latin1',
    // Called when a record ends, so nextLine is the first line of a record that cannot be read. By its types, the library
    // changes records only with its own columns.
    on_record: toRow as (fields: string[]) => null,
  });
  try {
    // The loop throws the error that the callback ignores.
    yield* pipeline(content, parser, () => undefined) as AsyncIterable<Row>;
  } catch (error) {
    if (error instanceof CsvError) throw new ImportStopped(`line ${nextLine}: ${reasonOf(error)}`);
    throw error;
  }
}

/** Returns the separator that a header contains most often. */
function separatorOf(header: string): string {
  const columns = (separator: string) => header.split(separator).length;
  return SEPARATORS.reduce((best, each) => (columns(each) > columns(best) ? each : best));
}

function reasonOf({ code }: CsvError): string {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `the row exceeds ${BODY_LIMIT_BYTES} bytes, or a quote is not closed`
    : 'the row has invalid quotes: quotes must enclose a whole field, and be doubled inside it';
}
