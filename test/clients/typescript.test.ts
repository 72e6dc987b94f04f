import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { createClient } from '@hey-api/openapi-ts';
import generateTypes, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { PublishedDocument, type PublishedOperation } from '../support/published-document.ts';
import { type Service, startServiceForTest } from '../support/service.ts';

interface Generator {
  /** Generates code from a document, in an empty folder. */
  generate: (document: string, folder: string) => Promise<unknown>;
  /** Code that creates a client for `baseUrl` and `key`. */
  client: string;
  /** Code that calls an operation. */
  call: (operation: PublishedOperation, path: string) => string;
  /** Compiler options that the generated code does not satisfy. */
  except?: object;
}

const GENERATORS: Record<string, Generator> = {
  'openapi-fetch': {
    generate: async (document, folder) =>
      writeFile(join(folder, 'openapi.d.ts'), astToString(await generateTypes(new URL(document)))),
    client: `
      import createClient from 'openapi-fetch';
      import type { paths } from './generated/openapi.js';
      const clientOf = (baseUrl: string, key: string) =>
        createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + key } });`,
    call: (operation, path) => {
      const { body, ...params } = examplesOf(operation);
      return `client.${operation.method}('${path}', ${JSON.stringify({ params, body })})`;
    },
  },
  'hey-api': {
    generate: (input, path) =>
      createClient({ input, output: { path, module: { extension: '.js' } }, logs: { level: 'silent' } }),
    client: `
      import { createConfig, createClient } from './generated/client/index.js';
      import { client as generated } from './generated/client.gen.js';
      import * as operations from './generated/sdk.gen.js';
      // The generated client has the address of the document.
      const clientOf = (_baseUrl: string, key: string) =>
        createClient(createConfig({ ...generated.getConfig(), auth: key }));`,
    call: (operation) => {
      const { header: headers, ...others } = examplesOf(operation);
      const options = JSON.stringify({ client: 'client', ...others, headers });
      return `operations.${operation.operationId}(${options.replace('"client":"client"', 'client')})`;
    },
    // The client that it generates passes undefined for absent options.
    except: { exactOptionalPropertyTypes: false },
  },
};

/** Returns the arguments of a call, by their places, from the examples and the defaults of the document. */
function examplesOf({ operationId, parameters, requestBody }: PublishedOperation): Record<string, unknown> {
  const examples: Record<string, Record<string, unknown>> = {};
  for (const { in: place, name, example, schema } of parameters) {
    // The only headers are keys of idempotent requests, which belong to one operation.
    const value = place === 'header' ? operationId : (example ?? schema.default);
    if (value !== undefined) (examples[place] ??= {})[name] = value;
  }
  return { ...examples, body: requestBody?.content['application/json']?.example };
}

/** The result of a call. */
interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

interface Program {
  callAll: (baseUrl: string, key: string) => Promise<Record<string, Answer>>;
}

/** Starts a service with the animal and the key whose ids the examples contain. */
async function startFilledService(): Promise<Service> {
  const service = await startServiceForTest();
  await service.client.post('/v1/pets', { name: 'Kitty Cat', categoryId: 1 });
  for (let count = 0; count < 7; count++) await service.client.post('/keys', { label: 'unused' });
  return service;
}

/** The documents, and the paths of their servers. */
const DOCUMENTS = { openapi: '/v1', 'openapi-accounts': '' };

test.each(Object.entries(GENERATORS))(
  'clients of both documents by %s compile strictly and call every operation at the address of the document',
  async (name, { generate, client, call, except }) => {
    const service = await startFilledService();
    const published = await PublishedDocument.of(service.url);
    const folder = await makeDirectoryForTest();
    for (const [document, base] of Object.entries(DOCUMENTS)) {
      await mkdir(join(folder, document, 'generated'), { recursive: true });
      await generate(`${service.url}/${document}.json`, join(folder, document, 'generated'));
      const calls = operationsIn(published, document).map(
        (each) => `${each.operationId}: await ${call(each, each.path.slice(base.length))},\n`,
      );
      await writeFile(
        join(folder, document, 'program.ts'),
        `${client}
        export async function callAll(baseUrl: string, key: string) {
          const client = clientOf(baseUrl, key);
          return {\n${calls.join('')} };
        }`,
      );
    }
    await cp(`test/clients/programs/${name}.ts`, join(folder, 'openapi/mistakes.ts'));
    await compile(folder, except);
    for (const document of Object.keys(DOCUMENTS)) {
      const { callAll } = (await import(join(folder, `dist/${document}/program.js`))) as Program;
      const address = await addressOf(`${service.url}/${document}.json`);
      const answers = await callAll(address, service.client.key ?? '');
      const refusals = await callAll(address, 'wrong');
      expectAnswers(operationsIn(published, document), answers, refusals);
    }
  },
);

/** Returns the address that a document names, as clients without generated code do. */
async function addressOf(document: string): Promise<string> {
  const { servers } = (await (await fetch(document)).json()) as { servers: [{ url: string }] };
  return servers[0].url;
}

function operationsIn({ operations }: PublishedDocument, document: string): PublishedOperation[] {
  return operations.filter(({ pointer }) => pointer.startsWith(`${document}.json#`));
}

function expectAnswers(
  operations: PublishedOperation[],
  answers: Record<string, Answer>,
  refusals: Record<string, Answer>,
): void {
  expect(operations.length).toBeGreaterThan(0);
  for (const { operationId, responses, path } of operations) {
    const { data, error, response } = answers[operationId] ?? {};
    expect(error, operationId).toBeUndefined();
    expect(Object.keys(responses)[0], operationId).toBe(String(response?.status));
    if (response?.status !== 204) expect(data, operationId).toBeTypeOf('object');
    if (path === '/accounts') continue;
    expect(refusals[operationId]?.error, operationId).toMatchObject({ code: 'unauthorized', status: 401 });
  }
}

/** Compiles the programs with the generated code. */
async function compile(folder: string, except: object | undefined): Promise<void> {
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const configuration = {
    extends: resolve('test/clients/programs/tsconfig.json'),
    compilerOptions: { rootDir: '.', outDir: 'dist', ...except },
    include: Object.keys(DOCUMENTS),
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const { code, stdout } = await runCommand('node_modules/.bin/tsc', ['-p', folder]);
  expect(code, stdout).toBe(0);
}
