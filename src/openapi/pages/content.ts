import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { Request, Response } from 'express';

import { isNotModified } from '../../http/not-modified.js';

/** The default quality takes seconds for the script of Swagger UI. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** The number of contents that are compressed at a time. Meanwhile, other texts for a host are sent as they are. */
const MAX_RUNNING = 2;
let running = 0;

/** A response body, which is compressed once for each coding. */
export class Content {
  private readonly etag: string;
  private readonly compressed = new Map<string, Promise<Buffer>>();

  /**
   * @param type a file extension or a media type
   * @param isForHost whether each host of requests has a content of its own, so that their number has no bound
   */
  constructor(
    private readonly type: string,
    private readonly body: Buffer,
    private readonly isForHost: boolean,
  ) {
    // Weak, because it is the same for all codings (RFC 9110, section 8.8.3).
    this.etag = `W/"${hash('sha256', body, 'base64url')}"`;
  }

  /** Sends the body, or 304 if the client has it cached. */
  async send(request: Request, response: Response): Promise<void> {
    response.type(this.type).set({ 'Cache-Control': 'no-cache', ETag: this.etag }).vary('Accept-Encoding');
    if (isNotModified(request, this.etag)) {
      response.status(304).end();
      return;
    }
    // Browsers name gzip first, and accept both equally.
    const coding = request.acceptsEncodings('br') || request.acceptsEncodings('gzip');
    const compressed = coding ? this.compress(coding) : undefined;
    if (coding && compressed) response.set('Content-Encoding', coding);
    response.send((await compressed) ?? this.body);
  }

  private compress(coding: string): Promise<Buffer> | undefined {
    if (!this.compressed.has(coding) && (!this.isForHost || running < MAX_RUNNING)) {
      running++;
      const started = coding === 'br' ? toBrotli(this.body, BROTLI) : toGzip(this.body);
      this.compressed.set(
        coding,
        started.finally(() => running--),
      );
    }
    return this.compressed.get(coding);
  }
}
