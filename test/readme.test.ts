import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

const allOf = (pattern: RegExp) => [...new Set([...readme.matchAll(pattern)].map(([, found = '']) => found))];

test('every link of the README leads to a file', () => {
  const links = allOf(/\]\((?!https?:)([^)]+)\)/g);
  expect(links).toContain('src/app.module.ts');
  expect(links.filter((path) => !path.startsWith('#') && !existsSync(path))).toEqual([]);
});

test('every link of the README to a place of its own leads to a heading', () => {
  const headings = allOf(/^#+ (.+)$/gm).map((text) => `#${text.toLowerCase().replaceAll(' ', '-')}`);
  const links = allOf(/\]\((#[^)]+)\)/g);
  expect(links).toContain('#read-replicas');
  expect(links.filter((link) => !headings.includes(link))).toEqual([]);
});

test('every script that the README names exists, and the other way round', () => {
  const named = [...allOf(/npm run ([\w:]+)/g), ...allOf(/npm (start|test)/g)];
  const told = Object.keys(scripts).filter((name) => !/^(check:|prepack$)/.test(name));
  expect(named.sort()).toEqual(told.sort());
});

test('every decorator that the README names exists', () => {
  const decorators = allOf(/`@(\w+)\(/g);
  expect(decorators).toContain('Public');
  const files = [
    'src/pets/pet.dto.ts',
    'src/pets/pets.controller.ts',
    'src/pets/pets.service.ts',
    'src/health/health.controller.ts',
    'test/extension/src/reviews/reviews.service.ts',
  ];
  const sources = files.map((file) => readFileSync(file, 'utf8')).join();
  expect(decorators.filter((name) => !sources.includes(`@${name}(`))).toEqual([]);
});
