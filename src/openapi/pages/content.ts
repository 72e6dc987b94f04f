import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Request, Response } from 'express';

import { isNotModified } from '../../http/petstore.adapter.js';

const toGzip = promisify(gzip);

/** The number of contents that are compressed at a time. Meanwhile, other texts for a host are sent as they are. */
const MAX_RUNNING = 2;
let running = 0;

/** A response body, which is compressed at most once. */
export class Content {
  private readonly etag: string;
  private compressed: Promise<Buffer> | undefined;

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
    // The body of a GET is ignored. A proxy must not reuse the connection before its end.
    if (!request.complete) response.set('Connection', 'close');
    if (isNotModified(request, this.etag)) {
      response.status(304).end();
      return;
    }
    // The weights of the client decide.
    const compressed = request.acceptsEncodings('gzip', 'identity') === 'gzip' ? this.compress() : undefined;
    if (compressed) response.set('Content-Encoding', 'gzip');
    response.send((await compressed) ?? this.body);
  }

  private compress(): Promise<Buffer> | undefined {
    if (!this.compressed && (!this.isForHost || running < MAX_RUNNING)) {
      running++;
      this.compressed = toGzip(this.body).finally(() => running--);
    }
    return this.compressed;
  }
}
