import { isAscii } from 'node:buffer';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';

import { type BackendMessage, DataRowMessage } from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';

import { OneBufferSocket } from './one-buffer-socket.js';

/** What pg's parser has; its types keep to themselves how it reads a message, and where the bytes lie that have arrived. */
interface MessageParser {
  buffer: Buffer;
  bufferOffset: number;
  readonly bufferLength: number;
  parse(bytes: Buffer, callback: (message: BackendMessage) => void): void;
  handlePacket(start: number, code: number, length: number, bytes: Buffer): BackendMessage;
}

const PgParser = Parser as unknown as new () => MessageParser;

/** The code of a message that holds a row. */
const DATA_ROW = 'D'.charCodeAt(0);

/** The codes of those that pg makes a view of the bytes from: a demand for a password, and copied data. */
const VIEWS = ['R', 'd'].map((code) => code.charCodeAt(0));

/** How many bytes are read at once, at most. For V8, a value may be a part of that text, and keep all of it in memory. */
const STRETCH = 16 * 1024;

/** A text that is the same in Latin-1, which it was read as, and in UTF-8. */
const ASCII = /^[\0-\x7f]*$/;

/**
 * pg's parser of what the server sends, which reads the rows together. pg has each value of each row read by itself,
 * which takes three times as long: for a client alone, a list of fifty animals takes a tenth longer. What it has parsed
 * is its own: the bytes may be used for something else.
 */
export class RowParser extends PgParser {
  /** A stretch of the bytes as Latin-1, where it starts and ends in them, and whether all of it is ASCII. */
  private text = '';
  private textStart = 0;
  private textEnd = 0;
  private isPlain = false;

  override parse(bytes: Buffer, callback: (message: BackendMessage) => void): void {
    try {
      super.parse(bytes, callback);
    } finally {
      // The next bytes may come to lie where these did.
      this.text = '';
      this.textStart = this.textEnd = 0;
      if (this.buffer === bytes) this.keepRest();
    }
  }

  override handlePacket(start: number, code: number, length: number, bytes: Buffer): BackendMessage {
    if (code === DATA_ROW && length <= STRETCH) return this.rowAt(start, length, bytes);
    if (!VIEWS.includes(code)) return super.handlePacket(start, code, length, bytes);
    return super.handlePacket(0, code, length, Buffer.from(bytes.subarray(start, endOf(start, length))));
  }

  private rowAt(start: number, length: number, bytes: Buffer): DataRowMessage {
    if (endOf(start, length) > this.textEnd) this.readStretch(bytes, start);
    const fields = new Array<string | null>(bytes.readInt16BE(start));
    let at = start + 2;
    for (let index = 0; index < fields.length; index++) {
      const size = bytes.readInt32BE(at);
      at += 4;
      fields[index] = size < 0 ? null : this.valueAt(bytes, at, at + size);
      at += Math.max(0, size);
    }
    return new DataRowMessage(length, fields);
  }

  /** Copies the part of a message that has arrived. */
  private keepRest(): void {
    this.buffer = Buffer.from(this.buffer.subarray(this.bufferOffset, this.bufferOffset + this.bufferLength));
    this.bufferOffset = 0;
  }

  private readStretch(bytes: Buffer, start: number): void {
    const end = Math.min(start + STRETCH, this.bufferOffset + this.bufferLength);
    const stretch = bytes.subarray(start, end);
    this.text = stretch.toString('latin1');
    this.textStart = start;
    this.textEnd = end;
    this.isPlain = isAscii(stretch);
  }

  private valueAt(bytes: Buffer, start: number, end: number): string {
    const value = this.text.slice(start - this.textStart, end - this.textStart);
    return this.isPlain || ASCII.test(value) ? value : bytes.toString('utf8', start, end);
  }
}

/** Where a message ends: its length counts its own four bytes, which are before its start. */
function endOf(start: number, length: number): number {
  return start + length - 4;
}

/**
 * Has a connection of pg read what it gets by a {@link RowParser}. It emits what pg's own way emits, but for each message
 * as a `message` besides, which nobody asks for.
 */
export function readRowsTogether(connection: EventEmitter): void {
  const attachListeners = (stream: Duplex) => {
    const parser = new RowParser();
    const emit = (message: BackendMessage) =>
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    const onBytes = (bytes: Buffer) => parser.parse(bytes, emit);
    if (stream instanceof OneBufferSocket) stream.onBytes = onBytes;
    else stream.on('data', onBytes);
  };
  Object.assign(connection, { attachListeners });
}
