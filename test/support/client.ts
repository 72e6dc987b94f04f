import { parseJsonWithBigints, stringifyJson } from '#src/domain/json';

import { PublishedDocument } from './published-document.ts';

/** A response of the service. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the response with each integer as a bigint. Undefined without a body. */
  body: unknown;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** A body to send as JSON, in which bigints become numbers. */
  json?: unknown;
  /** A body to send unchanged. */
  rawBody?: string | Uint8Array;
}

/**
 * A client that checks every response against the published documents, and fails the running test if a response is not
 * documented.
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

  /** Returns the client with another key, or without one. */
  withKey(key: string | undefined): Client {
    return new Client(this.url, key, this.document);
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, json: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, { ...options, json });
  }

  /** Sends a request to a path, such as `/v1/pets`, or to a URL, such as that of the next page. */
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
