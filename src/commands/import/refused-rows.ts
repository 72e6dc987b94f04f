import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

import { stringify } from 'csv-stringify/sync';

import { messageOf } from '../../domain/errors.js';
import { type CsvRow, ImportStopped, type Row } from './input.js';

/** The column or field with the reason. An import ignores it. */
const REASON = 'error';

/** A file with the refused rows and their reasons, to be corrected and imported: CSV, or else NDJSON. */
export class RefusedRows {
  private readonly file: number;
  private hasHeader = false;

  /** @throws ImportStopped when the file exists or cannot be written */
  constructor(private readonly path: string) {
    try {
      this.file = openSync(path, 'wx');
    } catch (error) {
      throw new ImportStopped(`cannot write ${path}: ${messageOf(error)}`);
    }
  }

  /** Adds a row. Its text keeps each byte, so that it is refused again until it is corrected. */
  add({ csv, json }: Row, reason: string): void {
    // Each byte is a character, as in the text of a row.
    const bytes = Buffer.from(reason).toString('latin1');
    const text = csv ? this.toCsv(csv, bytes) : `${withReason(json?.toString('latin1') ?? '', bytes)}\n`;
    writeSync(this.file, text, null, 'latin1');
  }

  close(): void {
    closeSync(this.file);
  }

  /** Removes the file, so that the same command can be repeated. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  /** The reason is the first field, so that a row with too few or too many fields keeps their wrong number. */
  private toCsv({ header, fields, separator }: CsvRow, reason: string): string {
    const kept = header[0] === REASON ? 1 : 0;
    const lines = [[reason, ...fields.slice(kept)]];
    if (!this.hasHeader) lines.unshift([REASON, ...header.slice(kept)]);
    this.hasHeader = true;
    return stringify(lines, { delimiter: separator });
  }
}

/** Adds the reason to the text of an object, in place of an earlier one. Another text becomes a field. */
function withReason(text: string, reason: string): string {
  const error = `"${REASON}":${JSON.stringify(reason)}`;
  const [, members] = /^\s*\{(?:"error":"(?:[^"\\]|\\.)*",?)?(.*)\}\s*$/s.exec(text) ?? [];
  if (members === undefined) return `{${error},"row":${JSON.stringify(text)}}`;
  return `{${error}${members.trim() === '' ? '' : ','}${members}}`;
}
