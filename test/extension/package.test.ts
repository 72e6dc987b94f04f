import { execFileSync } from 'node:child_process';
import { cpSync, globSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import ts from 'typescript';
import { expect, inject, test } from 'vitest';

import { createDatabaseForTest } from '../support/database.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { spawnService } from '../support/process.ts';

/** Returns the built files of a source file. A file with only types for the compiler has none. */
function packedAs(file: string): string[] {
  if (file.endsWith('.d.ts')) return [];
  if (file.endsWith('.ts')) {
    const built = `dist/${file.slice(0, -'.ts'.length)}`;
    return [`${built}.js`, `${built}.d.ts`];
  }
  return file.endsWith('.json') ? [] : [`dist/${file}`];
}

const tarball = () => join(inject('shelterDirectory') ?? '', 'petstore.tgz');

/** The files of the package. */
const packed = () =>
  execFileSync('tar', ['--list', '--file', tarball()], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .map((path) => path.replace('package/', ''));

test('the package contains the built service, its sources, documentation, example and containers, and nothing else', () => {
  const sources = globSync(['src/**/*.*', 'migrations/*.ts']);
  expect(sources.length).toBeGreaterThan(100);
  expect(packed().toSorted()).toEqual(
    [
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'RELEASES.md', 'SECURITY.md'],
      ...['openapi.json', 'package.json', 'dist/src/database/embedded/pgdata.tgz'],
      ...globSync(['docs/**/*.md', 'examples/**/*.*', 'test/*/results.{md,json,svg}', 'test/screenshots/*']),
      ...globSync(['docker/**/*.*', 'docker/Dockerfile']),
      ...sources,
      ...sources.flatMap(packedAs),
    ].toSorted(),
  );
});

test('each link of the packaged documentation leads to a file of the package', () => {
  const files = packed();
  const broken = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|\{)([^)#\s]+)/g)]
        .map(([, link = '']) => normalize(join(dirname(file), link)).replace(/\/$/, ''))
        .filter((target) => !files.some((each) => each === target || each.startsWith(`${target}/`)))
        .map((target) => `${file}: ${target}`),
    );
  expect(broken).toEqual([]);
});

test('only the exports can be imported from the package', () => {
  const directory = inject('shelterDirectory') ?? '';
  const importing = (path: string) => () =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', `import '${path}'`], {
      cwd: directory,
      stdio: 'pipe',
    });
  expect(importing('petstore')).not.toThrow();
  expect(importing('petstore/dist/src/pets/pets.service.js')).toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('Nest and TypeORM are installed once, so that the package and the application share their decorators and providers', () => {
  const directory = inject('shelterDirectory') ?? '';
  const copies = globSync(
    'node_modules/**/{@nestjs/{core,typeorm},typeorm,class-validator,reflect-metadata}/package.json',
    {
      cwd: directory,
    },
  );
  expect(copies.toSorted()).toEqual([
    'node_modules/@nestjs/core/package.json',
    'node_modules/@nestjs/typeorm/package.json',
    'node_modules/class-validator/package.json',
    'node_modules/reflect-metadata/package.json',
    'node_modules/typeorm/package.json',
  ]);
});

test('the root module of the documentation is a complete service, in an installation of at most 140 MB', async () => {
  const directory = await makeDirectoryForTest();
  const packages = join(directory, 'node_modules');
  const install = ['install', '--silent', '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, '--prefix', directory, tarball()]);
  const sizes = readdirSync(packages, { recursive: true, encoding: 'utf8' }).map(
    (file) => lstatSync(join(packages, file)).size,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(140 * 1024 ** 2);
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync('docs/extending.md', 'utf8')) ?? [];
  const { outputText } = ts.transpileModule(code, { compilerOptions: { experimentalDecorators: true } });
  const file = join(directory, 'pasted.mjs');
  writeFileSync(file, outputText);
  const start = (environment: NodeJS.ProcessEnv) =>
    spawnService({ METRICS_PORT: '0', ...environment }, [file], process.execPath, () => undefined);
  // The embedded database is an optional package.
  const { stderr } = await start({ DATA_DIR: directory }).exit;
  expect(stderr).toMatch(/^shelter: .* Run: npm install @electric-sql\/pglite\n$/);
  const name = '@electric-sql/pglite';
  const database = await createDatabaseForTest({ migrated: false });
  if (database.environment.DATABASE_URL === undefined)
    cpSync(`node_modules/${name}`, join(packages, name), { recursive: true });
  const service = start(database.environment);
  await expect.poll(() => service.stdout()).toMatch(/Listening on .*Metrics are at \/metrics on port \d+/s);
  service.signal('SIGTERM');
  expect(await service.exit).toMatchObject({ code: 0 });
}, 300_000);
