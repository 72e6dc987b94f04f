import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { LANGUAGES as SAMPLES } from '#src/openapi/samples';

import { type Outcome, runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { useService } from '../support/service.ts';

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** The languages: how a program is run from its file, and whether the machine has what it takes. */
const LANGUAGES = [
  {
    lang: 'Shell',
    fence: 'sh',
    file: 'sample.sh',
    command: ['bash', '-e'],
    installed: runs('curl', '--version'),
  },
  { lang: 'JavaScript', fence: 'js', file: 'sample.mjs', command: [process.execPath], installed: true },
  {
    lang: 'Python',
    fence: 'python',
    file: 'sample.py',
    command: ['python3'],
    installed: runs('python3', '-c', 'import requests'),
  },
  { lang: 'Go', fence: 'go', file: 'sample.go', command: ['go', 'run'], installed: runs('go', 'version') },
];

type Language = (typeof LANGUAGES)[number];

/** The largest int64. */
const MAX = 2n ** 63n - 1n;

/** Go compiles the standard library once. */
const ENVIRONMENT = { GOCACHE: join(tmpdir(), 'petstore-go-cache') };

const service = useService();
let key: string;
beforeAll(async () => {
  key = service.client.key ?? '';
  // The examples contain the id 1.
  for (let count = 0; count < 101; count++) {
    await service.client.post('/v1/pets', { name: `Kitty ${count}`, categoryId: MAX });
  }
});

/** Runs a program in a directory of its own. */
async function run({ command: [program = '', ...args], file }: Language, source: string): Promise<Outcome> {
  const cwd = await makeDirectoryForTest();
  await writeFile(join(cwd, file), source);
  return runCommand(program, [...args, file], { ...ENVIRONMENT, API_KEY: key }, '', { cwd });
}

/** Returns a program of the guide, for a service at a URL. */
function programOf(section: string, { fence }: Language, url: string): string {
  const guide = readFileSync('docs/guide.md', 'utf8');
  const [, text = ''] = new RegExp(`\n## ${section}\n(.*?)\n## `, 's').exec(guide) ?? [];
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${fence}\n(.*?)\`\`\``, 'gs'))].map(
    ([, block]) => block,
  );
  expect(blocks).not.toEqual([]);
  return blocks.join('\n').replaceAll('http://127.0.0.1:3000', url).replace('<API_KEY>', key);
}

/** Starts a proxy in front of the service, which answers some requests itself: with a status, or by closing. */
async function startProxy(refuse: (path: string) => number | 'close' | undefined): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming;
    const refusal = refuse(url);
    if (refusal === 'close') return incoming.socket.destroy();
    if (refusal) return response.writeHead(refusal, refusal === 401 ? {} : { 'Retry-After': 1 }).end();
    const forwarded = request(service.url + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    return incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe.each(LANGUAGES)('in $lang', (language) => {
  test.skipIf(!language.installed)('the samples of the explorer run, with any text in a body', async () => {
    const { write } = SAMPLES.find(({ lang }) => lang === language.lang) ?? {};
    const { id } = (await service.client.post('/keys', { label: 'unused' })).body as { id: bigint };
    const headers = { Authorization: `Bearer ${key}` };
    const name = `It's "\\n" $HOME \u2028 🐈`;
    const body = JSON.stringify({ name, categoryId: 1 });
    for (const [request, answer] of [
      [{ method: 'GET', url: '/v1/pets?limit=1', headers }, 'Kitty 0'],
      [
        {
          method: 'POST',
          url: '/v1/pets',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body,
        },
        name,
      ],
      [{ method: 'DELETE', url: `/keys/${id}`, headers }, ''],
    ] as const) {
      const source = write?.({ ...request, url: service.url + request.url }) ?? '';
      const { code, stdout, stderr } = await run(language, source);
      expect(code, stderr).toBe(0);
      expect(stdout, source).toContain(answer && JSON.stringify(answer));
      expect(stdout, source).not.toContain('"code"');
    }
  });

  test.skipIf(!language.installed)('the guide reads all pages, and fails if it cannot read one', async () => {
    const complete = await run(language, programOf('Read all pages', language, service.url));
    expect(complete.code, complete.stderr).toBe(0);
    expect(complete.stdout).toContain('Kitty 100');
    for (const refusal of [401, ...(language.lang === 'Shell' ? [] : [503])]) {
      const url = await startProxy((path) => (path.includes('after=') ? refusal : undefined));
      const { code, stdout } = await run(language, programOf('Read all pages', language, url));
      expect(stdout).toContain('Kitty 99');
      expect(code).not.toBe(0);
    }
  });

  test.skipIf(!language.installed)('the guide repeats a request until it has an answer', async () => {
    const refusals = [429, 'close', 503, undefined, 401] as const;
    let count = 0;
    const url = await startProxy(() => refusals[count++]);
    const program = programOf('Repeat a request after a failure', language, url);
    const repeated = await run(language, program);
    expect(repeated.code, repeated.stderr).toBe(0);
    expect(repeated.stdout).toContain('placed');
  });
});

test('both programs for large integers read a category of 2^63 - 1 exactly', async () => {
  const markdown = readFileSync('docs/integers.md', 'utf8');
  const programs = [...markdown.matchAll(/```js\n(.*?)```/gs)].map(([, program = '']) => program);
  expect(programs).toHaveLength(2);
  for (const program of programs) {
    const cwd = await makeDirectoryForTest();
    await symlink(resolve('node_modules'), join(cwd, 'node_modules'));
    const constants = `const [url, apiKey] = ${JSON.stringify([service.url, key])};`;
    await writeFile(
      join(cwd, 'sample.mjs'),
      `${constants}\n${program}\nconsole.log(String(pets[0].categoryId));`,
    );
    const { code, stdout, stderr } = await runCommand(process.execPath, ['sample.mjs'], {}, '', { cwd });
    expect(code, stderr).toBe(0);
    expect(stdout.trim()).toBe(String(MAX));
  }
});

test('two orders by the guide are two orders, also within a second', async () => {
  const orders = async () =>
    ((await service.client.get('/v1/store/orders?limit=100')).body as unknown[]).length;
  const before = await orders();
  const [shell] = LANGUAGES as [Language];
  const program = programOf('Repeat a request after a failure', shell, service.url);
  await run(shell, `${program}\n${program}`);
  expect(await orders()).toBe(before + 2);
});
