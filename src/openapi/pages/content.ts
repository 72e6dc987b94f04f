import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { Request, Response } from 'express';

const HEADERS = {
  'Cache-Control': 'no-cache',
  // RFC 9727, section 3.
  Link: '</.well-known/api-catalog>; rel="api-catalog"',
};

const CODINGS = { br: promisify(brotliCompress), gzip: promisify(gzip) };
type Coding = keyof typeof CODINGS;

/** Higher qualities take seconds for the largest file, and save little. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** The number of contents that are compressed at a time. Meanwhile, others are sent as they are. */
const MAX_RUNNING = 2;
let running = 0;

/** A response body, which is compressed once for each content coding. */
export class Content {
  private readonly etag: string;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  /** @param type a file extension or a media type */
  constructor(
    private readonly type: string,
    private readonly body: Buffer,
  ) {
    // Weak, because it is the same for all codings (RFC 9110, section 8.8.3).
    this.etag = `W/"${hash('sha256', body, 'base64url')}"`;
  }

  /** Sends the body, or 304 if the client has it cached. */
  async send(request: Request, response: Response): Promise<void> {
    response
      .type(this.type)
      .set({ ...HEADERS, ETag: this.etag })
      .vary('Accept-Encoding');
    const coding = (['br', 'gzip'] as const).find((each) => request.acceptsEncodings(each));
    const compressed = coding && this.compress(coding);
    if (compressed) response.set('Content-Encoding', coding);
    response.send((await compressed) ?? this.body);
  }

  private compress(coding: Coding): Promise<Buffer> | undefined {
    if (!this.compressed.has(coding) && running < MAX_RUNNING) {
      running++;
      this.compressed.set(
        coding,
        CODINGS[coding](this.body, OPTIONS).finally(() => running--),
      );
    }
    return this.compressed.get(coding);
  }
}
