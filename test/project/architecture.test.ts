import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { cruise, type ICruiseResult, type IRegularForbiddenRuleType } from 'dependency-cruiser';
import extractTypeScriptConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { beforeAll, describe, expect, inject, test } from 'vitest';

/** Imports that are forbidden, each with a file that breaks the rule. */
interface Rule {
  promise: string;
  from: IRegularForbiddenRuleType['from'];
  to: IRegularForbiddenRuleType['to'];
  breach: { file: string; imports: string };
}

const HTTP = '^node_modules/(express|@nestjs/(swagger|platform-express))/|^(node:)?https?$';
const OF_THE_EDGE = '^src/(http|openapi)/|\\.(controller|dto|decorator|guard|interceptor|filter|pipe)\\.ts$';

// A group in `from` captures the feature of the importing file; `to` refers to it as $1.
const FEATURE = '^src/([^/]+)';
const SAME_FEATURE = '^src/$1/';

const RULES: Rule[] = [
  {
    promise: 'only entities, repositories, commands and src/database import the database and its libraries',
    from: { path: '^src/', pathNot: '\\.(entity|repository)\\.ts$|^src/(database|commands|testing)/' },
    to: { path: '^node_modules/(@types/)?(typeorm|pg|pg-protocol|@electric-sql/pglite)/' },
    breach: { file: 'pets/pets.service.ts', imports: `import type { DataSource } from 'typeorm';` },
  },
  {
    promise: 'only modules wire TypeORM into Nest',
    from: { path: '^src/', pathNot: '\\.module\\.ts$' },
    to: { path: '^node_modules/@nestjs/typeorm/' },
    breach: {
      file: 'pets/pets.repository.ts',
      imports: `import { InjectRepository } from '@nestjs/typeorm';`,
    },
  },
  {
    promise: 'services, repositories, entities and errors import only types of HTTP',
    from: { path: '\\.(service|repository|entity|errors)\\.ts$|^src/domain/' },
    to: { path: `${HTTP}|${OF_THE_EDGE}`, dependencyTypesNot: ['type-only'] },
    breach: {
      file: 'store/store.service.ts',
      imports: `import { NewPet, type Pet } from '../pets/pet.dto.js';`,
    },
  },
  {
    promise: 'only a feature itself imports its repository and its controller',
    // The package exports the repositories, so that teams can replace them. They say how Citus stores their tables.
    from: { path: FEATURE, pathNot: '^src/(index|commands/distribute\\.command)\\.ts$' },
    to: { path: '\\.(repository|controller)\\.ts$', pathNot: SAME_FEATURE },
    breach: { file: 'cli.ts', imports: `import type { PetsRepository } from './pets/pets.repository.js';` },
  },
  {
    promise: 'only entities and a feature itself import its entity',
    // The package exports the entity of accounts, which callers have.
    from: { path: FEATURE, pathNot: '\\.entity\\.ts$|^src/index\\.ts$' },
    to: { path: '\\.entity\\.ts$', pathNot: SAME_FEATURE },
    breach: {
      file: 'store/store.repository.ts',
      imports: `import type { PetEntity } from '../pets/pet.entity.js';`,
    },
  },
  {
    promise: 'shared folders import no feature',
    from: { path: '^src/(config|database|domain|http|openapi|observability)/' },
    to: {
      path: '^src/[^/]+/',
      pathNot: '^src/(config|database|domain|health|http|openapi|observability|pagination)/',
    },
    breach: {
      file: 'http/error-mapper.ts',
      imports: `import type { PetNotFound } from '../pets/pet.errors.js';`,
    },
  },
  {
    promise: 'the domain imports only itself and the limits',
    from: { path: '^src/domain/' },
    to: { pathNot: '^src/(domain/|limits\\.ts$)' },
    breach: { file: 'domain/json.ts', imports: `import { Injectable } from '@nestjs/common';` },
  },
  {
    promise: 'the service runs without the development dependencies',
    from: { path: '^src/', pathNot: '^src/testing/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    breach: { file: 'main.ts', imports: `import { test } from 'vitest';` },
  },
  {
    promise: 'the service does not import code for tests',
    from: { path: '^src/', pathNot: '^src/testing/' },
    to: { path: '^src/testing/' },
    breach: {
      file: 'create-app.ts',
      imports: `import { createTestApp } from './testing/create-test-app.js';`,
    },
  },
  {
    promise: 'the rules see every import',
    from: {},
    to: { couldNotResolve: true },
    breach: { file: 'config/config.ts', imports: `import { nothing } from 'no-such-package';` },
  },
  {
    promise: 'there are no circular imports',
    from: {},
    to: { circular: true },
    breach: { file: 'messages/a.ts', imports: `import type { b } from './b.js';` },
  },
];

/** The files that the violations import. */
const BYSTANDERS = {
  'pets/pet.dto.ts': `export class NewPet {}\nexport class Pet {}`,
  'pets/pet.entity.ts': `export class PetEntity {}`,
  'pets/pet.errors.ts': `export class PetNotFound {}`,
  'testing/create-test-app.ts': `export const createTestApp = 0;`,
  'messages/b.ts': `import { a } from './a.js';\nexport const b = a;`,
};

let violations: Violation[];
let breaches: Violation[];

beforeAll(async () => {
  violations = await violationsIn(process.cwd());
  breaches = await violationsIn(await projectOfBreaches());
});

describe.each(RULES)('$promise', ({ promise, breach }) => {
  test('no file breaks it', () => {
    expect(violations.filter(({ rule }) => rule === promise)).toEqual([]);
  });

  test('a violation is found', () => {
    const found = breaches.filter(({ rule, from }) => rule === promise && from === `src/${breach.file}`);
    expect(found).toHaveLength(1);
  });
});

interface Violation {
  rule: string;
  from: string;
  to: string;
}

async function violationsIn(baseDir: string): Promise<Violation[]> {
  const forbidden = RULES.map(
    ({ promise: name, from, to }) => ({ name, severity: 'error', from, to }) as const,
  );
  const { output } = await cruise(
    ['src'],
    {
      baseDir,
      validate: true,
      ruleSet: { forbidden },
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      preserveSymlinks: true,
      tsConfig: { fileName: resolve('tsconfig.json') },
    },
    { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    { tsConfig: extractTypeScriptConfig(resolve('tsconfig.json')) },
  );
  const { summary, modules } = output as ICruiseResult;
  expect(modules.length).toBeGreaterThan(RULES.length);
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

/** Creates a project that breaks every rule once. */
async function projectOfBreaches(): Promise<string> {
  const directory = join(inject('runDirectory'), 'breaches');
  const files = [
    ...Object.entries(BYSTANDERS),
    ...RULES.map(({ breach: b }) => [b.file, b.imports] as const),
  ];
  for (const [file, text] of files) {
    const path = join(directory, 'src', file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await symlink(resolve('node_modules'), join(directory, 'node_modules'));
  await symlink(resolve('package.json'), join(directory, 'package.json'));
  return directory;
}
