import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import { type Operation, operationsByPath } from './operations.js';
import { LANGUAGES } from './samples.js';

/** Adds samples of each operation, as `x-codeSamples`. Paths without servers of their own begin with `basePath`. */
export function addCodeSamples({ paths }: OpenAPIObject, basePath: string): void {
  for (const { path, method, operation } of operationsByPath(paths)) {
    const address = operation.servers ? path : basePath + path;
    Object.assign(operation, { 'x-codeSamples': samplesOf(operation, method, address) });
  }
}

function samplesOf(operation: Operation, method: string, path: string): object[] {
  const body = bodyOf(operation);
  const request = {
    method: method.toUpperCase(),
    url: `{root}${fillPath(operation, path)}`,
    headers: {
      ...(!isPublic(operation) && { Authorization: 'Bearer <{CREDENTIAL}>' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    // JSON.stringify rejects bigints.
    body: body === undefined ? undefined : stringifyJson(body),
  };
  return LANGUAGES.map(({ lang, label, write }) => ({ lang, label, source: write(request) }));
}

/** `@Public()` replaces the requirement of the document, which is a key. */
function isPublic({ security }: Operation): boolean {
  return security !== undefined && !security.some((requirement) => 'bearer' in requirement);
}

function bodyOf({ requestBody }: Operation): unknown {
  const media = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  const [first] = Object.values(media?.examples ?? {});
  return first && 'value' in first ? first.value : media?.example;
}

/** Fills the examples of the parameters into a path. */
function fillPath({ parameters = [] }: Operation, path: string): string {
  return parameters.reduce((text, parameter) => {
    if ('$ref' in parameter || parameter.in !== 'path') return text;
    const example: unknown = parameter.example ?? parameter.name;
    return text.replace(`{${parameter.name}}`, encodeURIComponent(String(example)));
  }, path);
}
