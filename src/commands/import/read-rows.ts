import { pipeline } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { BODY_LIMIT_BYTES } from '../../limits.js';
import type { Columns } from './columns.js';
import { ImportStopped, type Input, type Row } from './input.js';

/** The first line of some spreadsheets, which names the separator. */
const SEPARATOR_LINE = /^sep=(.)$/i;

/**
 * Reads the rows of CSV, or of NDJSON if there are no columns. Skips blank rows.
 *
 * @throws ImportStopped when the input cannot be read to its end
 */
export async function* readRows(
  { firstLine, firstLineNumber, lineEnd, content }: Input,
  columns?: Columns,
): AsyncGenerator<Row> {
  const [separatorLine, separator] = (columns && SEPARATOR_LINE.exec(firstLine)) ?? [];
  let nextLine = firstLineNumber + (separatorLine === undefined ? 0 : 1);
  const countLines = (text: string) => text.split(lineEnd).length;
  /** The fields of a row that has none. */
  const empty: Record<string, string> = {};
  const checkHeader = (header: string[]) => {
    nextLine += countLines(header.join(''));
    for (const name of header) empty[name] = '';
    return columns?.check(header) ?? header;
  };
  const parser = parse<Row, Record<string, string>>({
    // A record of NDJSON is a line with one field. Names may contain the other line separators of Unicode.
    record_delimiter: lineEnd === '\r' ? ['\r'] : ['\n', '\r\n'],
    ...(columns
      ? { columns: checkHeader, delimiter: separator ?? columns.separatorOf(firstLine) }
      : { columns: ['json'], delimiter: '\n', quote: null }),
    ...(separator !== undefined && { from_line: 2 }),
    relax_column_count: true,
    max_record_size: BODY_LIMIT_BYTES,
    // Each byte becomes a character. So the limit counts bytes, and invalid UTF-8 affects only its row.
    encoding: 'latin1',
    // Called when a record ends, so nextLine is the first line of a record that cannot be read.
    on_record: (fields, { error }: { error?: CsvError }) => {
      const text = Object.values(fields).join('');
      const place = `line ${nextLine}`;
      nextLine += countLines(text);
      if (text.trim() === '') return null;
      const json = error ? undefined : Buffer.from(columns?.toJson(fields) ?? text, 'latin1');
      return { place, json, ...(columns && { fields: error ? { ...empty, ...fields } : fields }) };
    },
  });
  try {
    // The loop throws the error that the callback ignores.
    yield* pipeline(content, parser, () => undefined) as AsyncIterable<Row>;
  } catch (error) {
    if (error instanceof CsvError) throw new ImportStopped(`line ${nextLine}: ${reasonOf(error)}`);
    throw error;
  }
}

function reasonOf({ code }: CsvError): string {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `the row exceeds ${BODY_LIMIT_BYTES} bytes, or a quote is not closed`
    : 'the row has invalid quotes: quotes must enclose a whole field, and be doubled inside it';
}
