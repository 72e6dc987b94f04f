import type { OpenAPIObject } from '@nestjs/swagger';

import { type Operation, operationsOf } from './operations.js';

/** The parts of an operationId during the scan. */
interface Parts {
  readonly controller: string;
  /** The name of the handler. A handler with several paths has the names `create[0]`, … */
  readonly handler: string;
  readonly version: string;
  /** The method of an operation of `@All()`, such as `_get`, which the scan adds. */
  readonly method: string;
}

/** Separates the parts of an operationId during the scan. */
const SEPARATOR = '@';

/** Returns the operationId of a handler during the scan. `@ApiOperation` replaces the whole id. */
export function scannedId(controller: string, handler: string, version = ''): string {
  return [controller, handler, version, ''].join(SEPARATOR);
}

function partsOf(id = ''): Parts | undefined {
  const [controller = '', handler = '', version = '', method] = id.split(SEPARATOR);
  return method === undefined ? undefined : { controller, handler, version, method };
}

/** Returns the name of the handler of a scanned operation with one path, one method and no operationId of its own. */
export function handlerOf({ operationId }: Operation): string | undefined {
  const parts = partsOf(operationId);
  return parts?.method === '' && !parts.handler.endsWith(']') ? parts.handler : undefined;
}

/**
 * Replaces the scanned operationIds of operations and links by the names of the handlers. Operations whose name is not
 * unique get the default of @nestjs/swagger, with the name of the controller.
 */
export function nameOperations({ paths, webhooks = {} }: OpenAPIObject): void {
  const names = [...operationsOf(paths), ...operationsOf(webhooks)].map(({ operationId }) =>
    shortName(operationId),
  );
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('operationId' in node && typeof node.operationId === 'string') {
      const name = shortName(node.operationId);
      node.operationId = names.indexOf(name) === names.lastIndexOf(name) ? name : longName(node.operationId);
    }
    Object.values(node).forEach(visit);
  };
  visit([paths, webhooks]);
}

function shortName(id = ''): string {
  const parts = partsOf(id);
  return parts ? parts.handler + parts.method : id;
}

function longName(id: string): string {
  const parts = partsOf(id);
  if (!parts) return id;
  const { controller, handler, version, method } = parts;
  return [controller, handler, ...(version ? [version] : [])].join('_') + method;
}
