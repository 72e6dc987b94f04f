import { resolve } from 'node:path';

import { cruise, type ICruiseResult, type IRegularForbiddenRuleType } from 'dependency-cruiser';
import extractTypeScriptConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { expect, test } from 'vitest';

/** Imports that are forbidden. */
interface Rule {
  promise: string;
  scope?: 'folder';
  from: IRegularForbiddenRuleType['from'];
  to: IRegularForbiddenRuleType['to'];
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
  },
  {
    promise: 'only modules wire TypeORM into Nest',
    from: { path: '^src/', pathNot: '\\.module\\.ts$' },
    to: { path: '^node_modules/@nestjs/typeorm/' },
  },
  {
    promise: 'services, repositories, entities and errors import only types of HTTP',
    from: { path: '\\.(service|repository|entity|errors)\\.ts$|^src/domain/' },
    to: { path: `${HTTP}|${OF_THE_EDGE}`, dependencyTypesNot: ['type-only'] },
  },
  {
    promise: 'only a feature itself imports its repository and its controller',
    // The package exports the repositories, so that teams can replace them.
    from: { path: FEATURE, pathNot: '^src/index\\.ts$' },
    to: { path: '\\.(repository|controller)\\.ts$', pathNot: SAME_FEATURE },
  },
  {
    promise: 'only entities and a feature itself import its entity',
    // The package exports the entity of accounts, which callers have.
    from: { path: FEATURE, pathNot: '\\.entity\\.ts$|^src/index\\.ts$' },
    to: { path: '\\.entity\\.ts$', pathNot: SAME_FEATURE },
  },
  {
    promise: 'the domain imports only itself and the limits',
    from: { path: '^src/domain/' },
    to: { pathNot: '^src/(domain/|limits\\.ts$)' },
  },
  {
    promise: 'the service runs without the development dependencies',
    from: { path: '^src/', pathNot: '^src/testing/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only', 'npm-peer'] },
  },
  {
    promise: 'the service does not import code for tests',
    from: { path: '^src/', pathNot: '^src/testing/' },
    to: { path: '^src/testing/' },
  },
  {
    promise: 'the rules see every import',
    // The scripts of the pages import each other by their URLs.
    from: { pathNot: '\\.js$' },
    to: { couldNotResolve: true },
  },
  {
    promise: 'there are no circular imports',
    from: {},
    to: { circular: true },
  },
  {
    promise: 'no two folders import each other, directly or through others',
    scope: 'folder',
    from: { path: '^src/' },
    to: { path: '^src/', circular: true },
  },
];

const violations = await findViolations();

test.each(RULES)('$promise', ({ promise }) => {
  expect(violations.filter(({ rule }) => rule === promise)).toEqual([]);
});

interface Violation {
  rule: string;
  from: string;
  to: string;
}

async function findViolations(): Promise<Violation[]> {
  const forbidden = RULES.map(
    ({ promise: name, ...rule }) => ({ name, severity: 'error', ...rule }) as const,
  );
  const { output } = await cruise(
    ['src'],
    {
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
  expect(modules.length).toBeGreaterThan(100);
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}
