import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { PublishedDocument, type PublishedOperation } from '../support/published-document.ts';
import { type Service, startServiceForTest } from '../support/service.ts';

interface Sample {
  lang: string;
  source: string;
}

type Operation = PublishedOperation & { 'x-codeSamples': Sample[] };

/** How a sample is run, from its file. */
const PROGRAMS: Record<string, { file: string; command: (file: string) => [string, string[]] }> = {
  Shell: { file: 'sample.sh', command: (file) => ['bash', [file]] },
  JavaScript: { file: 'sample.mjs', command: (file) => [process.execPath, [file]] },
  Python: { file: 'sample.py', command: (file) => ['python3', [file]] },
  Go: { file: 'sample.go', command: (file) => ['go', ['run', file]] },
};

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** Whether the machine has what a language takes. */
const INSTALLED: Record<string, boolean> = {
  Shell: runs('curl', '--version'),
  JavaScript: true,
  Python: runs('python3', '-c', 'import requests'),
  Go: runs('go', 'version'),
};

/** Go compiles the standard library once. */
const ENVIRONMENT = { GOCACHE: join(tmpdir(), 'petstore-go-cache') };

/** A store in which the ids of the examples exist: 42 animals, and keys enough for each sample to revoke one. */
async function fill({ client }: Service): Promise<void> {
  for (let count = 0; count < 42; count++) await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 });
  for (let count = 0; count < 42; count++) await client.post('/keys', { label: 'unused' });
}

async function run({ lang, source }: Sample, key: string): Promise<string> {
  const program = PROGRAMS[lang];
  if (!program) throw new Error(`no program runs ${lang}`);
  const file = join(await makeDirectoryForTest(), program.file);
  await writeFile(file, source.replaceAll('<API_KEY>', key));
  const { code, stdout, stderr } = await runCommand(...program.command(file), ENVIRONMENT);
  expect(code, stderr).toBe(0);
  return stdout;
}

describe.each(Object.keys(PROGRAMS))('the samples in %s', (lang) => {
  test.skipIf(!INSTALLED[lang])('call every operation as they stand, but for the key', async () => {
    const service = await startServiceForTest();
    await fill(service);
    const { operations } = await PublishedDocument.of(service.url);
    expect(operations.length).toBeGreaterThan(9);
    for (const { operationId, responses, 'x-codeSamples': samples } of operations as Operation[]) {
      const [sample] = samples.filter((each) => each.lang === lang);
      if (!sample) throw new Error(`${operationId} has no sample in ${lang}`);
      const output = await run(sample, service.client.key ?? '');
      if ('204' in responses) continue;
      // curl and the others print the body; the sample in JavaScript prints what it was parsed to.
      expect(output, sample.source).toMatch(/\bid\b|^\[/);
      expect(output, sample.source).not.toMatch(/\bcode\b/);
    }
  });
});
