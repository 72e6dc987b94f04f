import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';

import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';

import { runCommand } from '../support/command.ts';

/** The folders that a checkout does not need. With `dist`, the compiler finds that nothing has changed, which saves seconds. */
const NOT_COPIED = ['.git', 'data', 'node_modules'];

// Each script starts npm and the compiler, and the machine may be slow.
vi.setConfig({ testTimeout: 180_000 });

let checkout: string;

beforeAll(() => {
  checkout = mkdtempSync(join(inject('runDirectory'), 'checkout-'));
  cpSync('.', checkout, { recursive: true, filter: (path) => !NOT_COPIED.includes(relative('.', path)) });
  // Without the paths of its last build, the compiler would compile everything again.
  const linked = spawnSync('cp', ['-al', 'node_modules', checkout]);
  if (linked.status !== 0) symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
});

interface RunningScript {
  /** Returns the output so far. */
  output: () => string;
}

/** Runs a script of package.json in a copy of the project. Ends it, and its children, at the end of the test. */
function npm(...args: string[]): RunningScript {
  const child = spawn('npm', args, {
    cwd: checkout,
    env: { PATH: process.env['PATH'], HOME: checkout, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const closed = once(child, 'close');
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
    await closed;
  });
  return { output: () => output };
}

/** Waits until the service of a script accepts requests, and returns its address. */
async function listen({ output }: RunningScript, times = 1): Promise<string> {
  const urls = () => [...output().matchAll(/Listening on (http:\S+),/g)].map(([, url = '']) => url);
  await expect.poll(urls, { timeout: 120_000 }).toHaveLength(times);
  return urls().at(-1) ?? '';
}

test('npm ci prints no warnings on the installed Node, and installs no deprecated package', async () => {
  const folder = mkdtempSync(join(inject('runDirectory'), 'install-'));
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(file, join(folder, file));
  // The folder of the package `node` comes first in the path of a script.
  const path = process.env['PATH']?.split(delimiter).filter((each) => !each.includes('node_modules'));
  const environment = { PATH: path?.join(delimiter), HOME: folder };
  const { code, stderr } = await runCommand('npm', ['ci', '--dry-run'], environment, '', { cwd: folder });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  // npm does not print the warnings of deprecated packages either.
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"deprecated":');
});

test('npm start builds and serves', async () => {
  const script = npm('start');
  const url = await listen(script);
  await expect.poll(script.output).toMatch(/^ +ps_\w{33}$/m);
  const [, key = ''] = /^ +(ps_\w{33})$/m.exec(script.output()) ?? [];
  const headers = { authorization: `Bearer ${key}` };
  expect(await (await fetch(`${url}/v1/pets`, { headers })).json()).toEqual([]);
});

test('npm run --silent petstore prints only the key to stdout', async () => {
  const args = ['run', '--silent', 'petstore', '--', 'keys', 'create', '--account', 'default'];
  const { code, stdout, stderr } = await runCommand('npm', args, { HOME: checkout }, '', { cwd: checkout });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^ps_\w{33}\n$/);
});

test('npm run dev restarts the service when a source file changes', async () => {
  const script = npm('run', 'dev');
  const before = await (await fetch(`${await listen(script)}/none`)).text();
  const file = join(checkout, 'src/http/errors/http-errors.ts');
  const source = readFileSync(file, 'utf8');
  onTestFinished(() => writeFileSync(file, source));
  expect(before).toContain('This path does not exist.');
  writeFileSync(file, source.replaceAll('This path does not exist.', 'Nothing is here.'));
  expect(await (await fetch(`${await listen(script, 2)}/none`)).text()).toContain('Nothing is here.');
});
