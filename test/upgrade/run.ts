// Runs tests with the previous minor versions of Express, pg, TypeORM and Nest, in a copy of the
// built project. Arguments go to Vitest:
//   node test/upgrade/run.ts --reporter=default
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The tests to run: those of the operations, of each documented status, and others that depend on these packages. */
const TESTS = [
  'operations/!(generated-requests)',
  'http/request-bodies',
  'http/routes',
  'service/documented-statuses',
  'service/errors',
  'service/idempotency',
];

/** The development dependencies of these tests, and Node. Installing the others would only take time. */
const DEVELOPMENT = [
  '@electric-sql/pglite',
  '@nestjs/testing',
  'ajv',
  'ajv-formats',
  'fast-check',
  'node',
  'vitest',
];

type Versions = Record<string, string>;

interface Manifest {
  dependencies: Versions;
  devDependencies: Versions;
  peerDependencies: Versions;
}

const manifest = readJson('package.json') as Manifest;
const ranges: Versions = { ...manifest.dependencies, ...manifest.peerDependencies };
const drilled = Object.keys(ranges).filter(
  (name) =>
    ['express', 'pg', 'typeorm'].includes(name) ||
    (name in manifest.peerDependencies && name.startsWith('@nestjs/')),
);

const files = TESTS.flatMap(findTests);
const older = await previousMinors();
const directory = mkdtempSync(join(tmpdir(), 'petstore-upgrade-'));
try {
  copyProject();
  installOlder();
  // The run ends after ten failures, because others would often fail for the same reason after a timeout.
  const args = ['run', ...files, '--bail=10', ...process.argv.slice(2)];
  const vitest = ['node_modules/vitest/vitest.mjs', ...args];
  process.exitCode = spawnSync(process.execPath, vitest, { cwd: directory, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function findTests(pattern: string): string[] {
  const found = globSync(`test/${pattern}.test.ts`);
  if (found.length === 0) throw new Error(`There is no test test/${pattern}.test.ts.`);
  return found;
}

/** Returns the last release of the previous minor version of each package that has one within its major version. */
async function previousMinors(): Promise<Versions> {
  const found = await Promise.all(
    drilled.map(async (name) => {
      const current = versionIn(`node_modules/${name}`);
      const [major = '', minor = ''] = current.split('.');
      const range = ranges[name] ?? '';
      const earlier = (version: string) => Number(version.split('.')[1]) < Number(minor);
      const allowed = (await releasesOf(`${name}@${range}`)).findLast(earlier);
      // A second call of npm takes as long as the first one, and is rarely necessary.
      const target = allowed ?? (await releasesOf(`${name}@${major}`)).findLast(earlier);
      console.log(`${name} ${current} -> ${target ?? 'has no earlier minor version'}`);
      if (target === undefined) return [];
      if (allowed === undefined)
        throw new Error(`The range of ${name}, ${range}, excludes the previous minor version, ${target}.`);
      return [[name, target] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** Returns the releases that a specification such as `pg@8` allows, in ascending order. */
async function releasesOf(specification: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('npm', ['view', specification, 'version', '--json']);
  const versions = [JSON.parse(stdout) as string | string[]].flat();
  return versions.toSorted(new Intl.Collator('en', { numeric: true }).compare);
}

function copyProject(): void {
  const ignored = ['.git', 'node_modules', 'data', 'coverage'];
  for (const entry of globSync('*', { exclude: ignored })) {
    cpSync(entry, join(directory, entry), { recursive: true });
  }
}

/** Installs the versions of the lock file, except for the older versions, everywhere they are dependencies. */
function installOlder(): void {
  const pinned = (versions: Versions) =>
    Object.fromEntries(Object.entries(versions).map(([name, range]) => [name, older[name] ?? range]));
  const changed = {
    ...manifest,
    dependencies: pinned(manifest.dependencies),
    devDependencies: pinned(
      Object.fromEntries(
        Object.entries(manifest.devDependencies).filter(([name]) => DEVELOPMENT.includes(name)),
      ),
    ),
    peerDependencies: pinned(manifest.peerDependencies),
    // platform-express depends on an exact version of Express, which npm would install in addition to the older one.
    overrides: older,
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(changed));
  // Without --force, npm refuses older versions for optional peers that nothing installs.
  const options = ['--force', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options], { cwd: directory, stdio: 'inherit' });
  for (const [name, version] of Object.entries(older)) {
    const copies = globSync([`node_modules/${name}`, `node_modules/{,@*/}*/node_modules/${name}`], {
      cwd: directory,
    });
    for (const copy of copies) {
      const installed = versionIn(join(directory, copy));
      if (installed !== version) throw new Error(`${copy} is ${installed} rather than ${version}.`);
    }
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function versionIn(directory: string): string {
  return (readJson(join(directory, 'package.json')) as { version: string }).version;
}
