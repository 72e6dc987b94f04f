import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { startServiceForTest } from '../support/service.ts';

const MAX = 2n ** 63n - 1n;

const markdown = await readFile('docs/integers.md', 'utf8');
const programs = [...markdown.matchAll(/^## (.+)$[^]*?```js\n([^]*?)```/gm)].map(
  ([, title = '', code = '']) => ({
    title,
    code,
  }),
);

test('the page shows two ways', () => {
  expect(programs).toHaveLength(2);
});

test.each(programs)('$title: the code reads a category of 2^63 - 1 exactly', async ({ code }) => {
  const { client, url } = await startServiceForTest();
  await client.post('/v1/pets', { name: 'Kitty', categoryId: MAX });
  // Beside the tests, it finds the packages.
  const file = join('test/clients', `integers-${process.pid}.mjs`);
  onTestFinished(() => rm(file, { force: true }));
  await writeFile(
    file,
    `const [url, apiKey] = process.argv.slice(2);\n${code}\nconsole.log(String(pets[0].categoryId));`,
  );
  const {
    code: exitCode,
    stdout,
    stderr,
  } = await runCommand(process.execPath, [file, url, client.key ?? '']);
  expect(exitCode, stderr).toBe(0);
  expect(stdout.trim()).toBe(String(MAX));
});
