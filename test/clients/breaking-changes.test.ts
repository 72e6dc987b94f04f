import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

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

type Change = (document: Document) => void;

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
  scripts: Record<'check' | 'check:breaking', string>;
};

/** Compares a changed copy of the last released document with it, as `npm run check` does. */
async function check(change: Change): Promise<Outcome> {
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

describe('fails the check', () => {
  const changes: [what: string, rule: string, change: Change][] = [
    [
      'a removed field of an answer',
      'property-removed',
      ({ components }) => Reflect.deleteProperty(components.schemas.Pet.properties, 'name'),
    ],
    [
      'a beta operation that goes',
      'operation-removed',
      ({ paths }) => Reflect.deleteProperty(paths['/messages'], 'post'),
    ],
    [
      'a settled operation that becomes experimental',
      'operation-removed',
      ({ paths }) => (paths['/pets'].post['x-stability'] = 'experimental'),
    ],
  ];

  test.for(changes)('%s', async ([, rule, change]) => {
    const { code, stdout, stderr } = await check(change);
    expect(stdout + stderr).toContain(rule);
    expect(code).toBe(1);
  });
});

describe('passes the check', () => {
  const changes: [what: string, change: Change][] = [
    ['an experimental operation that goes', ({ paths }) => Reflect.deleteProperty(paths, '/store/orders')],
    [
      'an experimental operation that changes',
      ({ components: { schemas } }) => {
        Reflect.deleteProperty(schemas.Order.properties, 'createdAt');
        schemas.NewOrder.properties['petId'] = { type: 'string' };
        schemas.NewOrder.required.push('colour');
      },
    ],
  ];

  test.for(changes)('%s', async ([, change]) => {
    const { code, stdout, stderr } = await check(change);
    expect(code, stdout + stderr).toBe(0);
  });
});
