import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { expect, inject, test } from 'vitest';

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
      ...['openapi.json', 'package.json'],
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
