import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { TestProject } from 'vitest/node';

import { writeSamples } from './samples.ts';

const EXAMPLE = resolve('examples/shelter');

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface Lock {
  packages: Record<string, { version: string }>;
}

/**
 * Builds the application like a team: in an empty directory, from the packed package and the registry, with its own
 * compiler, which also checks the samples of the documentation. The versions of common dependencies are those with which the package was tested.
 */
export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-shelter-'));
  project.provide('shelterDirectory', directory);
  const run = (program: string, args: string[], cwd = directory) =>
    execFileSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });

  // The tests use the last build.
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], process.cwd());
  renameSync(join(directory, 'petstore-1.0.0.tgz'), join(directory, 'petstore.tgz'));
  for (const name of ['src', 'jest', 'tsconfig.json'])
    cpSync(join(EXAMPLE, name), join(directory, name), { recursive: true });
  writeSamples(join(directory, 'src'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify(withTestedVersions()));
  run('npm', ['install', '--silent', '--prefer-offline', '--no-audit', '--no-fund']);
  run(process.execPath, ['node_modules/typescript/bin/tsc']);
  return () => rmSync(directory, { recursive: true, force: true });
}

function withTestedVersions(): Manifest {
  const manifest = JSON.parse(readFileSync(join(EXAMPLE, 'package.json'), 'utf8')) as Manifest;
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const pinned = (dependencies: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        lock.packages[`node_modules/${name}`]?.version ?? range,
      ]),
    );
  return {
    ...manifest,
    dependencies: pinned(manifest.dependencies),
    devDependencies: pinned(manifest.devDependencies),
  };
}
