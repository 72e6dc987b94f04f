import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';

import type { Answer } from './client.ts';

export interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Header {
  required?: boolean;
  schema: { type: string };
}

interface Parameter {
  name: string;
  in: string;
  description?: string;
  example?: unknown;
  schema: { default?: unknown };
}

interface PublishedResponse {
  content?: Record<string, Media>;
  headers?: Record<string, Header>;
}

interface Operation {
  operationId: string;
  deprecated?: boolean;
  security?: object[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, PublishedResponse>;
  [extension: `x-${string}`]: unknown;
}

/** A published document, as far as the tests read it. */
export interface Document {
  info: { description: string; version: string };
  servers: { url: string; description?: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

/** An operation of a published document. */
export interface PublishedOperation extends Operation {
  /** In upper case. */
  method: string;
  /** The path on the service, with its parameters in braces. */
  path: string;
  /** The reference to the operation in the document. */
  pointer: string;
}

const HEADERS_FOR_CLIENTS = [
  ...['deprecation', 'idempotency-replayed', 'link', 'location', 'ratelimit'],
  ...['ratelimit-policy', 'retry-after', 'sunset', 'www-authenticate', 'x-request-id'],
];

/** The documents that the service publishes, which define the valid responses. */
export class PublishedDocument {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  /** The operations of all documents. */
  readonly operations: readonly PublishedOperation[];

  private constructor(documents: { base: string; name: string; document: Document }[]) {
    formats.default(this.ajv);
    this.ajv.addFormat('int64', true);
    for (const { name, document } of documents) this.ajv.addSchema(document, name);
    this.operations = documents.flatMap(({ base, name, document }) =>
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          ...operation,
          method: method.toUpperCase(),
          path: base + path,
          pointer: `${name}#/paths/${path.replaceAll('/', '~1')}/${method}`,
        })),
      ),
    );
  }

  static async of(url: string): Promise<PublishedDocument> {
    const load = async (base: string, name: string) => {
      const answer = await fetch(`${url}/${name}`);
      // A service with another verifier of keys has no document of accounts.
      if (answer.status === 404) return [];
      return [{ base, name, document: (await answer.json()) as Document }];
    };
    return new PublishedDocument([
      ...(await load('/v1', 'openapi.json')),
      ...(await load('', 'openapi-accounts.json')),
    ]);
  }

  /** Fails the running test if a response does not match the documents. */
  check(method: string, path: string, answer: Answer): void {
    expect(answer.headers.get('x-request-id'), 'every answer names its request').toBeTruthy();
    expect(answer.headers.has('x-powered-by')).toBe(false);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    // Only the files of the pages have an ETag.
    if (!/^\/($|(docs|console|openapi|postman)\b)/.test(path)) expect(answer.headers.has('etag')).toBe(false);
    const operation = this.findOperation(method, path);
    if (answer.status >= 400) this.checkError(method, answer);
    // An internal error is a fault of the service, which no operation documents.
    if (!operation || method === 'HEAD' || answer.status === 500) return;
    const response = operation.responses[answer.status];
    expect(response, `${operation.operationId} documents the status ${answer.status}`).toBeDefined();
    if (response) this.checkHeaders(operation.operationId, response, answer);
    if (response?.content) {
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      // checkError has checked the schema of an error.
      if (answer.status < 400) {
        this.checkSchema(
          `${operation.pointer}/responses/${answer.status}/content/application~1json/schema`,
          answer,
        );
      }
    } else {
      expect(answer.text).toBe('');
    }
  }

  private checkError(method: string, answer: Answer): void {
    if (method === 'HEAD') return;
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(answer.body as object)).toEqual(['code', 'message', 'status']);
    expect((answer.body as { status: bigint }).status).toBe(BigInt(answer.status));
    this.checkSchema('openapi.json#/components/schemas/Error', answer);
  }

  /** A response has every header that the document requires, and no undocumented header that clients could read. */
  private checkHeaders(operationId: string, { headers = {} }: PublishedResponse, answer: Answer): void {
    const declared = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
    for (const [name, { required, schema }] of declared) {
      const value = answer.headers.get(name);
      if (required) expect(value, `${operationId} ${answer.status} has ${name}`).toBeTruthy();
      if (value !== null && schema.type === 'integer') expect(value).toMatch(/^\d+$/);
    }
    const undeclared = [...answer.headers.keys()].filter(
      (name) => HEADERS_FOR_CLIENTS.includes(name) && !declared.has(name),
    );
    expect(undeclared, `headers that ${operationId} ${answer.status} does not document`).toEqual([]);
  }

  private checkSchema(reference: string, answer: Answer): void {
    let validate = this.validators.get(reference);
    if (!validate) this.validators.set(reference, (validate = this.ajv.compile({ $ref: reference })));
    const valid = validate(JSON.parse(answer.text));
    expect(valid, `${answer.text}\n${this.ajv.errorsText(validate.errors)}`).toBe(true);
  }

  private findOperation(method: string, path: string): PublishedOperation | undefined {
    const [pathname = ''] = path.split('?');
    return this.operations.find(
      (operation) =>
        operation.method === method.toUpperCase() &&
        new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
    );
  }
}
