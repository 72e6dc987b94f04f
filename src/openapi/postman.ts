import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import { type Operation, operationsByPath } from './operations.js';

/** Returns a Postman collection: a request for each operation, with the examples, and with optional parameters turned off. */
export function postmanCollection({ info, paths, servers = [] }: OpenAPIObject) {
  const requests = operationsByPath(paths).map(({ path, method, operation }) => ({
    name: operation.summary,
    request: { method: method.toUpperCase(), ...partsOf(operation, path) },
  }));
  return {
    info: {
      name: info.title,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{bearerToken}}' }] },
    variable: [
      { key: 'baseUrl', value: servers[0]?.url },
      { key: 'bearerToken', value: '' },
    ],
    item: requests,
  };
}

function partsOf({ parameters = [], requestBody, servers }: Operation, path: string) {
  const partsIn = (place: string) =>
    parameters.flatMap((each) =>
      'in' in each && each.in === place
        ? [{ key: each.name, value: String(each.example ?? ''), disabled: !each.required }]
        : [],
    );
  const body = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  return {
    url: {
      // An operation outside of the interface has a server of its own.
      host: [servers?.[0]?.url ?? '{{baseUrl}}'],
      path: path.slice(1).replaceAll('{', ':').replaceAll('}', '').split('/'),
      query: partsIn('query'),
      variable: partsIn('path'),
    },
    header: partsIn('header'),
    ...(body && {
      body: { mode: 'raw', raw: stringifyJson(body.example, 2), options: { raw: { language: 'json' } } },
    }),
  };
}
