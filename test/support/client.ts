import { expect } from 'vitest';

import { parseJsonWithBigints, stringifyJson } from '#src/domain/json';

import { PublishedDocument } from './published-document.ts';

/** What the service answered. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the answer with each integer as a bigint; undefined when there is no body. */
  body: unknown;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON, in which bigints are plain numbers. */
  json?: unknown;
  /** Sent as it is. */
  rawBody?: string | Uint8Array;
}

/**
 * A client of the service that believes nothing: it checks every answer against the published
 * document, and fails the test that gets one which the document does not describe.
 */
export class Client {
  private constructor(
    readonly url: string,
    readonly key: string | undefined,
    private readonly document: PublishedDocument,
  ) {}

  static async of(url: string, key?: string): Promise<Client> {
    return new Client(url, key, await PublishedDocument.of(url));
  }

  /** The same client without a key, or with another one. */
  withKey(key: string | undefined): Client {
    return new Client(this.url, key, this.document);
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, json: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, { ...options, json });
  }

  /** Sends a request to a path below the root, such as `/v1/pets`, or to an address, such as that of the next page. */
  async send(
    method: string,
    path: string,
    { headers = {}, json, rawBody }: RequestOptions = {},
  ): Promise<Answer> {
    const body = json === undefined ? rawBody : stringifyJson(json);
    const isAddress = path.startsWith('http://');
    const response = await fetch(isAddress ? path : this.url + path, {
      method,
      headers: {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body as string }),
    });
    const text = await response.text();
    // A validating proxy answers so, where one is between.
    expect(response.headers.get('content-type'), text).not.toBe('application/problem+json');
    const isJson = response.headers.get('content-type')?.startsWith('application/json;') ?? false;
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? parseJsonWithBigints(text) : undefined,
    };
    this.document.check(method, isAddress ? path.replace(/^http:\/\/[^/]+/, '') : path, answer);
    return answer;
  }
}
