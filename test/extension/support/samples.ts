import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as common from '@nestjs/common';
import * as swagger from '@nestjs/swagger';

import * as petstore from '#src/index';
import * as testing from '#src/testing/create-test-app';

/** What the samples of a section leave out, and what closes it. */
const CONTEXTS: Readonly<Record<string, readonly [before: string, after?: string]>> = {
  Events: ['declare class EventEmitter2 { emit(event: string, ...values: unknown[]): boolean }'],
  Tables: [
    `declare const [database, pets, accountId, newPet, INSERT_VISIT, day, events]: [
      Database, PetsService, bigint, NewPet, Statement, string, { emit(event: string, id: bigint): void }];`,
  ],
  'Idempotent operations': [
    `export class IntakesController {
      constructor(readonly idempotency: IdempotencyService, readonly visits: VisitsService) {}`,
    '}',
  ],
  'Your own tokens': ['declare class Tokens { findCaller(text: string): Promise<Caller | undefined> }'],
  Test: ['declare const config: ShelterConfig;'],
};

/**
 * Writes the samples of the documentation as modules of the example, one of each section, which its compiler then checks.
 * Adds the imports of what the samples use.
 */
export function writeSamples(sources: string): void {
  mkdirSync(join(sources, 'samples'));
  const documentation = readFileSync('docs/extending.md', 'utf8');
  const imports = new Map([...importsOfExample(sources), ...importsOfPackages(documentation)]);
  for (const section of documentation.split(/^##+ /m)) {
    const samples = [...section.matchAll(/^ *```ts\n(.*?)```/gms)].map(([, code = '']) => code);
    if (samples.length === 0) continue;
    const [title = ''] = section.split('\n', 1);
    const [before = '', after = ''] = CONTEXTS[title] ?? [];
    const code = [before, ...samples, after].join('\n');
    const words = new Set(code.match(/\b[A-Za-z]\w*\b/g));
    const used = [...imports].filter(
      ([name]) =>
        words.has(name) && !new RegExp(`(?:class|const) ${name}\\b|import .*\\b${name}\\b`).test(code),
    );
    writeFileSync(
      join(sources, 'samples', `${title.toLowerCase().replaceAll(' ', '-')}.ts`),
      [...used.map(([, statement]) => statement), 'export {};', code].join('\n'),
    );
  }
}

/** Returns an import of each export of the example, by its name. */
function importsOfExample(sources: string): [name: string, statement: string][] {
  return globSync('**/*.ts', { cwd: sources }).flatMap((file) =>
    [...readFileSync(join(sources, file), 'utf8').matchAll(/^export (\w+) (\w+)/gm)].map(
      ([, kind, name = '']): [string, string] => {
        const type = kind === 'type' || kind === 'interface' ? 'type ' : '';
        return [name, `import { ${type}${name} } from '../${file.replace(/\.ts$/, '.js')}';`];
      },
    ),
  );
}

/** Returns an import of each documented export of the package, and of the exports of Nest's packages. */
function importsOfPackages(documentation: string): [name: string, statement: string][] {
  const [, exported = '', ofTests = ''] = documentation.split(/^## Exports$|^### Tests, /m);
  const namesIn = (text: string) =>
    [...text.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
  const importsOf = (names: string[], path: string, values: object) =>
    names.map((name): [string, string] => [
      name,
      `import { ${name in values ? '' : 'type '}${name} } from '${path}';`,
    ]);
  return [
    ...importsOf(Object.keys(common), '@nestjs/common', common),
    ...importsOf(Object.keys(swagger), '@nestjs/swagger', swagger),
    ...importsOf(namesIn(exported), 'petstore', petstore),
    ...importsOf(namesIn(ofTests), 'petstore/testing', testing),
  ];
}
