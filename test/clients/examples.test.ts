import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import type { Document } from '../support/published-document.ts';
import { startServiceForTest } from '../support/service.ts';

/** What Respect reports. */
interface Report {
  files: Record<string, { executedWorkflows: { executedSteps: Step[] }[] }>;
}

interface Step {
  request: { method: string; url: string; body?: unknown };
  response: { statusCode: number };
  checks: { name: string; status: string }[];
}

const CHECKS = ['success criteria check', 'status code check', 'content-type check', 'schema check'];

/** Runs a command of Redocly's CLI, without telemetry. */
async function redocly(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { code, stdout, stderr } = await runCommand('node_modules/.bin/redocly', args, {
    ...quiet,
    ...environment,
  });
  expect(code, stdout + stderr).toBe(0);
}

test('every example of a request, sent in an empty store, is answered as the document says', async () => {
  const { client, url } = await startServiceForTest();
  const folder = await makeDirectoryForTest();
  const [document, workflows, report] = ['openapi.json', 'arazzo.yaml', 'report.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const { text } = await client.get('/openapi.json');
  await writeFile(document, text);

  await redocly(['generate-arazzo', document, '--output-file', workflows]);
  await redocly(['respect', workflows, '--server', `openapi=${url}/v1`, '--json-output', report], {
    REDOCLY_CLI_RESPECT_INPUT: `bearer=${client.key ?? ''}`,
  });

  const { files } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const steps = Object.values(files).flatMap(({ executedWorkflows }) =>
    executedWorkflows.flatMap(({ executedSteps }) => executedSteps),
  );
  for (const { response, checks } of steps) {
    expect(response.statusCode).toBeLessThan(300);
    expect(checks.map(({ name, status }) => ({ name, status }))).toEqual(
      CHECKS.map((name) => ({ name, status: 'success' })),
    );
  }
  const sent = steps.map(({ request }) => ({
    method: request.method,
    url: request.url,
    body: request.body,
  }));
  const { paths } = JSON.parse(text) as Document;
  const examples = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters, requestBody }]) => ({
      method,
      url: `${url}/v1${path.replace(/\{(\w+)\}/g, (_, name) =>
        String(parameters.find((parameter) => parameter.name === name)?.example),
      )}`,
      body: requestBody?.content['application/json']?.example,
    })),
  );
  expect(sent).toHaveLength(examples.length);
  expect(sent).toEqual(expect.arrayContaining(examples));
});

/** A request of a Postman collection, as far as the test reads it. */
interface PostmanRequest {
  method: string;
  url: { host: [string]; path: string[]; variable: { key: string; value: string }[] };
  header: { disabled: boolean }[];
  body?: { raw: string };
}

test('every request of the Postman collection succeeds, also at the second run', async () => {
  const { client, url } = await startServiceForTest();
  const { variable, item } = JSON.parse((await client.get('/postman.json')).text) as {
    variable: { key: string; value: string }[];
    item: { request: PostmanRequest }[];
  };
  expect(variable).toContainEqual({ key: 'baseUrl', value: `${url}/v1` });
  const requests = item.map(({ request }) => request);
  const { paths } = JSON.parse((await client.get('/openapi.json')).text) as { paths: Record<string, object> };
  expect(requests).toHaveLength(Object.values(paths).flatMap(Object.keys).length);
  for (const {
    method,
    url: { host, path, variable: values },
    header,
    body,
  } of [...requests, ...requests]) {
    expect(host).toEqual(['{{baseUrl}}']);
    expect(header.filter(({ disabled }) => !disabled)).toEqual([]);
    const parts = path.map((part) => values.find(({ key }) => `:${key}` === part)?.value ?? part);
    const { status } = await client.send(method, `/v1/${parts.join('/')}`, {
      json: body && (JSON.parse(body.raw) as unknown),
    });
    expect(status, `${method} ${path.join('/')}`).toBeLessThan(300);
  }
});

test('the document on accounts and keys satisfies the rules for openapi.json', async () => {
  const { client } = await startServiceForTest();
  const document = join(await makeDirectoryForTest(), 'openapi-accounts.json');
  await writeFile(document, (await client.get('/openapi-accounts.json')).text);
  await redocly(['lint', '--config', 'redocly.yaml', document]);
});
