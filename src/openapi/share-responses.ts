import type { OpenAPIObject } from '@nestjs/swagger';

import { stringifyJson } from '../domain/json.js';
import { isErrorSchema } from './example-of.js';
import { operationsOf } from './operations.js';

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;
type Response = Exclude<Responses[string], { $ref: string }>;

/**
 * Moves the errors that several operations share to `components/responses`, named by their codes. An error with another
 * example or other headers stays in its operation.
 */
export function shareResponses(document: OpenAPIObject): void {
  const operations = operationsOf(document.paths);
  const texts = operations.flatMap(({ responses }) =>
    Object.values(responses).map((each) => stringifyJson(each)),
  );
  const shared: Responses = {};
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses as Record<string, Response>)) {
      const text = stringifyJson(response);
      const name = nameOf(response);
      if (name === undefined || texts.indexOf(text) === texts.lastIndexOf(text)) continue;
      shared[name] ??= response;
      if (stringifyJson(shared[name]) === text)
        responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  document.components = { ...document.components, responses: shared };
}

/** Returns the code of an error in Pascal case, or undefined if the response is not an error with an example. */
function nameOf({ content }: Response): string | undefined {
  const media = content?.['application/json'];
  if (!media?.example || !isErrorSchema(media.schema)) return undefined;
  const { code } = media.example as { code?: unknown };
  if (typeof code !== 'string') return undefined;
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
