import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Request, Response } from 'express';

const HEADERS = {
  'Cache-Control': 'no-cache',
  // RFC 9727, section 3.
  Link: '</.well-known/api-catalog>; rel="api-catalog"',
};

const compress = promisify(gzip);

/** The number of contents that are compressed at a time. Meanwhile, others are sent as they are. */
const MAX_RUNNING = 2;
let running = 0;

/** A response body, which is compressed once. */
export class Content {
  private readonly etag: string;
  private compressed: Promise<Buffer> | undefined;

  /** @param type a file extension or a media type */
  constructor(
    private readonly type: string,
    private readonly body: Buffer,
  ) {
    // Weak, because it is the same for both codings (RFC 9110, section 8.8.3).
    this.etag = `W/"${hash('sha256', body, 'base64url')}"`;
  }

  /** Sends the body, or 304 if the client has it cached. */
  async send(request: Request, response: Response): Promise<void> {
    response
      .type(this.type)
      .set({ ...HEADERS, ETag: this.etag })
      .vary('Accept-Encoding');
    const compressed = request.acceptsEncodings('gzip') ? this.compress() : undefined;
    if (compressed) response.set('Content-Encoding', 'gzip');
    response.send((await compressed) ?? this.body);
  }

  private compress(): Promise<Buffer> | undefined {
    if (!this.compressed && running < MAX_RUNNING) {
      running++;
      this.compressed = compress(this.body).finally(() => running--);
    }
    return this.compressed;
  }
}
