import { promisify } from 'node:util';

import { convertV2 } from 'openapi-to-postmanv2';
import { expect, test } from 'vitest';

import { resolveResponses } from '../support/published-document.ts';
import { startServiceForTest } from '../support/service.ts';

/** A request of a collection, or a folder of them. */
interface Item {
  item?: Item[];
  request: {
    method: string;
    url: { path: string[] };
    /** Null where the one of the collection counts. */
    auth: object | null;
    body?: { raw: string };
  };
  response: { code: number; body: string }[];
}

interface Media {
  content: { 'application/json': { example: unknown } };
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: Media; responses: Record<string, Media> }>>;
  components: { responses: Record<string, Media> };
}

function requestsOf({ item, ...request }: Item): Item[] {
  return item ? item.flatMap(requestsOf) : [request];
}

test('Postman imports every operation, with its examples and the key', async () => {
  const { client } = await startServiceForTest();
  const { text } = await client.get('/openapi.json');

  const imported = await promisify(convertV2)(
    { type: 'string', data: text },
    { parametersResolution: 'Example' },
  );

  expect(imported).toMatchObject({ result: true, output: [{ data: { auth: { type: 'bearer' } } }] });
  const collection = imported?.output?.[0]?.data as Item;
  const json = (value: string | undefined) =>
    value === undefined ? undefined : (JSON.parse(value) as unknown);
  const requests = requestsOf(collection).map(({ request, response }) => ({
    operation: `${request.method} /${request.url.path.join('/')}`,
    auth: request.auth,
    body: json(request.body?.raw),
    answers: Object.fromEntries(response.map(({ code, body }) => [code, json(body)])),
  }));
  const document = JSON.parse(text) as Document;
  const example = ({ content }: Media) => content['application/json'].example;
  const expected = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      auth: null,
      body: operation.requestBody && example(operation.requestBody),
      answers: Object.fromEntries(
        Object.entries(resolveResponses(operation, document).responses).map(([code, answer]) => [
          code,
          example(answer),
        ]),
      ),
    })),
  );
  expect(requests).toEqual(expect.arrayContaining(expected));
  expect(requests).toHaveLength(expected.length);
});
