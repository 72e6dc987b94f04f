import type { OpenAPIObject } from '@nestjs/swagger';
import { HTTPSnippet } from '@readme/httpsnippet';

import { stringifyJson } from '../domain/json.js';
import { type Operation, operationsByPath } from './operations.js';

type Target = Parameters<HTTPSnippet['convert']>[0];
type Client = Parameters<HTTPSnippet['convert']>[1];

/** The languages of the samples, by their names in Redoc and Scalar, and the HTTP libraries of the samples. */
const LANGUAGES: readonly { lang: string; label: string; target: Target; client: Client }[] = [
  { lang: 'Shell', label: 'curl', target: 'shell', client: 'curl' },
  { lang: 'JavaScript', label: 'fetch', target: 'javascript', client: 'fetch' },
  { lang: 'Python', label: 'requests', target: 'python', client: 'requests' },
  { lang: 'Go', label: 'net/http', target: 'go', client: 'native' },
];

/** Stands for the URL of the service while a sample is generated. */
const PLACEHOLDER = 'https://root.invalid';

/**
 * Adds a sample of each operation in several languages, as `x-codeSamples`.
 *
 * @param basePath the prefix of the paths, except for those with servers of their own
 */
export function addCodeSamples({ paths }: OpenAPIObject, basePath: string): void {
  for (const { path, method, operation } of operationsByPath(paths)) {
    const address = operation.servers ? path : basePath + path;
    Object.assign(operation, { 'x-codeSamples': samplesOf(operation, method, address) });
  }
}

function samplesOf(operation: Operation, method: string, path: string): object[] {
  const body = bodyOf(operation);
  const snippet = new HTTPSnippet({
    httpVersion: 'HTTP/1.1',
    method: method.toUpperCase(),
    url: PLACEHOLDER + fillPath(operation, path),
    headers: [
      ...(isPublic(operation) ? [] : [{ name: 'Authorization', value: 'Bearer <{CREDENTIAL}>' }]),
      ...(body === undefined ? [] : [{ name: 'Content-Type', value: 'application/json' }]),
    ],
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    postData: { mimeType: 'application/json', text: body === undefined ? '' : stringifyJson(body) },
  });
  // As JSON, the body would be rounded.
  const result = method === 'head' || '204' in operation.responses ? 'res.status' : 'res.text()';
  return LANGUAGES.map(({ lang, label, target, client }) => {
    const [source] = snippet.convert(target, client) as [string];
    return { lang, label, source: source.replace('res.json()', result).replaceAll(PLACEHOLDER, '{root}') };
  });
}

/** `@Public()` adds an empty requirement, which every request meets. */
function isPublic({ security }: Operation): boolean {
  return security?.some((requirement) => Object.keys(requirement).length === 0) ?? false;
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
