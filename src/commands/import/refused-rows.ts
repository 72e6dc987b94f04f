import { closeSync, openSync, writeSync } from 'node:fs';

import { stringify } from 'csv-stringify/sync';

import { messageOf } from '../../domain/errors.js';
import { type Format, ImportStopped, type Row } from './input.js';

/** The column or field with the reason. An import ignores it. */
const REASON = 'error';

/** A file with the refused rows and their reasons, to be corrected and imported: CSV, or else NDJSON. */
export class RefusedRows {
  private readonly file: number;
  private hasHeader = false;

  /** @throws ImportStopped when the file exists or cannot be written */
  constructor(
    path: string,
    private readonly format: Format,
  ) {
    try {
      this.file = openSync(path, 'wx');
    } catch (error) {
      throw new ImportStopped(`cannot write ${path}: ${messageOf(error)}`);
    }
  }

  add({ fields, json }: Row, reason: string): void {
    if (this.format === 'csv' && fields) {
      // Each byte is a character, as in the fields.
      const row = { ...fields, [REASON]: Buffer.from(reason).toString('latin1') };
      writeSync(this.file, stringify([row], { header: !this.hasHeader }), null, 'latin1');
      this.hasHeader = true;
    } else {
      writeSync(this.file, `${withReason(json?.toString() ?? '', reason)}\n`);
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Adds the reason to the text of an object, whose integers stay exact. Another text becomes a field. */
function withReason(text: string, reason: string): string {
  const [, members] = /^\s*\{(.*)\}\s*$/s.exec(text) ?? [];
  if (members === undefined) return JSON.stringify({ [REASON]: reason, row: text });
  return `{${members}${members.trim() === '' ? '' : ','}"${REASON}":${JSON.stringify(reason)}}`;
}
