import { IncomingMessage } from 'node:http';

import { MAX_BODY_CHUNKS } from '../limits.js';

/**
 * A request that copies the chunks of its body together that arrive in the same piece: Node makes a Buffer of each, which
 * takes 430 bytes beside its text, and a piece of 64 KiB can contain 10,900 chunks. They wait for the check of the key.
 */
export class JoinedRequest extends IncomingMessage {
  private chunks: Buffer[] | undefined;
  private chunkCount = 0;

  /** Whether the rest of the body would take too much time. */
  get hasTooManyChunks(): boolean {
    return this.chunkCount > MAX_BODY_CHUNKS;
  }

  override push(chunk: Buffer | null): boolean {
    if (this.headers['transfer-encoding'] === undefined) return super.push(chunk);
    if (chunk === null) {
      this.pushChunks();
      return super.push(null);
    }
    this.chunkCount++;
    // Node passes all chunks of a piece in the same turn of the event loop.
    if (this.chunks === undefined) process.nextTick(() => this.pushChunks());
    (this.chunks ??= []).push(chunk);
    return this.readableLength < this.readableHighWaterMark;
  }

  private pushChunks(): void {
    if (this.chunks === undefined) return;
    const joined = Buffer.concat(this.chunks);
    this.chunks = undefined;
    super.push(joined);
  }
}
