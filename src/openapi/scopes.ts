import type { OpenAPIObject } from '@nestjs/swagger';

import { requiredHeader } from './decorators/header.js';
import { operationsOf } from './operations.js';

/** The scopes that operations require, by operationId. */
export type Scopes = Readonly<Record<string, string>>;

/**
 * Adds the required scopes, and the error of a key without the scope, to the scanned operations.
 *
 * @throws Error when a scope names an operation that does not exist
 */
export function requireScopes({ paths }: OpenAPIObject, scopes: Scopes): void {
  const operations = new Map(operationsOf(paths).map((operation) => [operation.operationId, operation]));
  for (const [operationId, scope] of Object.entries(scopes)) {
    const operation = operations.get(operationId);
    if (!operation) {
      const known = [...operations.keys()].join(', ');
      throw new Error(`composition.scopes names ${operationId}, but the operations are ${known}.`);
    }
    operation.security = [{ apiKey: [scope] }];
    const challenge = `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`;
    operation.responses['403'] ??= {
      ...structuredClone(operation.responses['401']),
      description: '',
      headers: { 'WWW-Authenticate': requiredHeader('The challenge (RFC 6750).', challenge) },
    };
  }
}
