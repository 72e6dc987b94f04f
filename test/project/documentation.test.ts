import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Command } from 'commander';
import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import { describe, expect, test } from 'vitest';

import { AppModule } from '#src/app.module';
import { petstoreCommand } from '#src/commands/petstore.command';
import * as petstore from '#src/index';

import { runCommand } from '../support/command.ts';
import { startServiceForTest } from '../support/service.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

const files = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')];
const texts = files.map((file) => readFileSync(file, 'utf8')).join('\n');

const allOf = (pattern: RegExp, text = texts) => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];

const marked = new Marked(gfmHeadingId());

const htmlOf = (file: string) => marked.parse(readFileSync(file, 'utf8'), { async: false });

/** Returns the links of a page to files and headings that do not exist. */
function brokenLinks(file: string): string[] {
  return allOf(/ (?:href|src)="(?!https?:)([^"]*)"/g, htmlOf(file)).filter((link) => {
    const [path = '', heading] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return heading !== undefined && !htmlOf(target).includes(` id="${heading}"`);
  });
}

describe('the documentation', () => {
  test('links to files and headings that exist', () => {
    expect(files.flatMap((file) => brokenLinks(file).map((link) => `${file}: ${link}`))).toEqual([]);
  });

  test('names every script of package.json, and no others', () => {
    const named = [...allOf(/npm run ([\w:]+)/g), ...allOf(/npm (start|test)/g)];
    const expected = Object.keys(scripts).filter((name) => !/^(check:|pre|post)/.test(name));
    expect(named.sort()).toEqual(expected.sort());
  });

  test('names every operator command with options that it has, and no others', () => {
    const lines = allOf(/^npm run --silent petstore -- (.+)$/gm);
    const commands = new Map(leavesOf(petstoreCommand(AppModule)));
    const named = lines.map((line) => /^(?:[a-z]+ ?)+/.exec(line)?.[0].trim() ?? '');
    expect(named.sort()).toEqual([...commands.keys()].sort());
    const unknown = lines.filter((line) => {
      const command = commands.get(/^(?:[a-z]+ ?)+/.exec(line)?.[0].trim() ?? '');
      const options = command?.options.map(({ long }) => long) ?? [];
      return [...line.matchAll(/--\w+/g)].some(([option]) => !options.includes(option));
    });
    expect(unknown).toEqual([]);
  });

  test.skipIf(spawnSync('curl', ['--version']).error)('contains calls by curl that succeed', async () => {
    const { client } = await startServiceForTest();
    const calls = allOf(/^(curl (?:.*\\\n)*.*)$/gm);
    expect(calls.length).toBeGreaterThan(1);
    for (const call of calls) {
      const command = call
        .replace('curl ', 'curl --silent --show-error --fail-with-body ')
        .replace('<API_KEY>', String(client.key))
        .replace('http://127.0.0.1:3000', client.url);
      const environment = { PATH: process.env['PATH'], API_KEY: client.key };
      expect(await runCommand('bash', ['-c', command], environment)).toMatchObject({ code: 0 });
    }
  });

  test('names every export of the package', () => {
    const extending = readFileSync('docs/extending.md', 'utf8');
    const listed = allOf(/\{([^}]+)\}/g, readFileSync('src/index.ts', 'utf8')).join();
    // A module has no types, and the file lacks the names of `export *`.
    const names = new Set([...Object.keys(petstore), ...(listed.match(/\w+/g) ?? [])]);
    names.delete('type');
    expect(names).toContain('Replicas');
    expect([...names].filter((name) => !extending.includes(`\`${name}\``))).toEqual([]);
  });

  test('names files of tests that exist', () => {
    const tests = allOf(/\b([\w-]+\.test\.ts)\b/g);
    expect(tests).toContain('list-pets.test.ts');
    const existing = globSync('test/**/*.test.ts').map((path) => path.split('/').at(-1));
    expect(tests.filter((name) => !existing.includes(name))).toEqual([]);
  });

  test('lists every page and every decision', () => {
    const readme = readFileSync('README.md', 'utf8');
    const pages = globSync('docs/*.md');
    expect(pages.filter((page) => !readme.includes(`(${page})`))).toEqual([]);
    const decisions = readFileSync('docs/decisions/README.md', 'utf8');
    const records = globSync('*.md', { cwd: 'docs/decisions' }).filter((name) => name !== 'README.md');
    expect(records.filter((name) => !decisions.includes(`(${name})`))).toEqual([]);
  });

  test('has a row for every folder of the source', () => {
    const readme = readFileSync('README.md', 'utf8');
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !readme.includes(`(src/${name})`))).toEqual([]);
  });
});

/** The commands that do something, by their names. */
function leavesOf(command: Command, path: string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}
