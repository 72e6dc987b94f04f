import type { OpenAPIObject } from '@nestjs/swagger';

import { scopeChallenge } from '../domain/scope-challenge.js';
import { header } from './decorators/header.js';
import { handlerOf } from './operation-ids.js';
import { operationsOf } from './operations.js';

/** The scopes that operations require, by operationId. */
export type Scopes = Readonly<Record<string, string>>;

/**
 * Adds the required scopes, and the error of a key without the scope, to the scanned operations. The guard reads only
 * the handler of a request, so a scope requires an operation that has the name of its handler.
 *
 * @throws Error when a scope does not name exactly one operation, or that operation and its handler have different names
 */
export function requireScopes({ paths }: OpenAPIObject, scopes: Scopes): void {
  const operations = operationsOf(paths).filter((each) => handlerOf(each) !== undefined);
  for (const [operationId, scope] of Object.entries(scopes)) {
    const named = operations.filter((each) => handlerOf(each) === operationId);
    const [operation] = named;
    if (!operation) {
      const known = operations.map(handlerOf).join(', ');
      throw new Error(
        `composition.scopes names ${operationId}, but the operations with one path, one method and the name of their ` +
          `handler are ${known}.`,
      );
    }
    if (named.length > 1) {
      throw new Error(
        `composition.scopes names ${operationId}, but ${named.length} operations have this name.`,
      );
    }
    operation.security = [{ apiKey: [scope] }];
    operation.responses['403'] ??= {
      ...structuredClone(operation.responses['401']),
      description: '',
      headers: { 'WWW-Authenticate': header('The challenge (RFC 6750).', scopeChallenge(scope)) },
    };
  }
}
