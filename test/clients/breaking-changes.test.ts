import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { type Outcome, runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';

interface Schema {
  required: string[];
  properties: Record<string, { type?: string }>;
}

interface Operation {
  'x-stability'?: string;
}

/** The last released document, as far as these tests tamper with it. */
interface Document {
  paths: Record<'/pets' | '/messages' | '/store/orders', { get: Operation; post: Operation }>;
  components: { schemas: Record<'Pet' | 'Order' | 'NewOrder', Schema> };
}

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
  scripts: Record<'check' | 'check:breaking', string>;
};

/** Compares a changed copy of the last released document with it, as `npm run check` does. */
async function check(change: (document: Document) => void): Promise<Outcome> {
  const document = JSON.parse(await readFile('test/released/openapi.json', 'utf8')) as Document;
  change(document);
  const path = join(await makeDirectoryForTest(), 'openapi.json');
  await writeFile(path, JSON.stringify(document));
  const command = scripts['check:breaking'].replace(/ openapi\.json$/, ` ${path}`);
  return runCommand('sh', ['-c', command], { PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}` });
}

test('what is checked before every change includes the comparison', () => {
  expect(scripts.check).toContain(' check:breaking ');
  expect(scripts['check:breaking']).toMatch(/ openapi\.json$/);
});

test('the check fails with an error for each settled field, beta operation and settled operation that goes', async () => {
  const { code, stdout, stderr } = await check(({ paths, components }) => {
    Reflect.deleteProperty(components.schemas.Pet.properties, 'name');
    Reflect.deleteProperty(paths['/messages'], 'post');
    paths['/pets'].post['x-stability'] = 'experimental';
  });
  expect(code).toBe(1);
  const rules = (stdout + stderr).match(/\b(?:property|operation)-removed\b/g) ?? [];
  expect(rules.toSorted()).toEqual(['operation-removed', 'operation-removed', 'property-removed']);
});

test('the check passes if experimental operations change or go', async () => {
  const { code, stdout, stderr } = await check(({ paths, components: { schemas } }) => {
    Reflect.deleteProperty(schemas.Order.properties, 'createdAt');
    schemas.NewOrder.properties['petId'] = { type: 'string' };
    schemas.NewOrder.required.push('colour');
    Reflect.deleteProperty(paths['/store/orders'], 'get');
  });
  expect(code, stdout + stderr).toBe(0);
});
