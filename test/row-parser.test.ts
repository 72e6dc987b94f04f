import fc from 'fast-check';
import type { BackendMessage } from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import { expect, test } from 'vitest';

import { RowParser } from '#src/database/row-parser';

import { dataRow, message } from './support/scripted-server.ts';

/** What pg makes of bytes that arrive at once. In pieces, it may write over what it has handed out. */
function parseAsPg(bytes: Buffer): BackendMessage[] {
  const messages: BackendMessage[] = [];
  new Parser().parse(bytes, (message) => messages.push(message));
  return messages;
}

/** What the parser makes of bytes that arrive in these pieces, each in the place of the one before. */
function parse(pieces: Buffer[]): BackendMessage[] {
  const messages: BackendMessage[] = [];
  const parser = new RowParser();
  const place = Buffer.alloc(Math.max(...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    piece.copy(place);
    parser.parse(place.subarray(0, piece.length), (message) => messages.push(message));
    place.fill('!');
  }
  return messages;
}

/** Cuts bytes at places between 0, their start, and 1, their end. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => Math.round(place * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Bytes that are no UTF-8, for which a replacement character stands. */
const NO_UTF8 = Buffer.of(0x61, 0xff, 0x62, 0xc3);

const ascii = fc.string({ unit: 'binary-ascii' });
const long = fc.tuple(ascii, fc.integer({ min: 1, max: 4000 })).map(([text, times]) => text.repeat(times));
const value = fc.option(
  fc.oneof(ascii, fc.string({ unit: 'binary' }), long, fc.constant('é'), fc.constant(NO_UTF8)),
);
const row = fc.array(value, { maxLength: 6 }).map((values) => dataRow(...values));
const other = fc.constantFrom(
  message('2', ''),
  message('C', 'SELECT 2\0'),
  message('Z', 'I'),
  message('R', '\0\0\0\u0005salt'),
  message('d', 'copied'),
);
const answers = fc.array(fc.oneof({ weight: 5, arbitrary: row }, other), { maxLength: 30 });
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

test('what the server sends is read as pg reads it, wherever the network cuts it', () => {
  fc.assert(
    fc.property(answers, places, (messages, cuts) => {
      const bytes = Buffer.concat(messages);
      expect(parse(cut(bytes, cuts))).toEqual(parseAsPg(bytes));
    }),
  );
});

test('rows are read that are longer than what is read at once, alone or together', () => {
  const rows = ['a', 'é', 'b'].flatMap((letter) =>
    [1, 7000, 7000, 7000, 50_000].map((length) => dataRow(letter.repeat(length), null, '', letter)),
  );
  const bytes = Buffer.concat(rows);
  for (const pieces of [[bytes], cut(bytes, [0.1, 0.2, 0.5, 0.7, 0.71])]) {
    const messages = parse(pieces);
    expect(messages).toHaveLength(rows.length);
    expect(messages).toEqual(parseAsPg(bytes));
  }
});
