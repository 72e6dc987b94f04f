import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { runCommand } from '../../support/command.ts';
import { findBinaries } from '../../support/postgres.ts';

const PAGE = 'docs/operations.md';

/** Returns the shell commands of the section for the day on which one PostgreSQL is outgrown, in their order. */
export function commandsOfSection(): string[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('\n### When one PostgreSQL is outgrown\n');
  const [own = ''] = section.split('\n### ');
  // The blocks of the steps are indented, and so are the ends of their here documents.
  return [...own.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Runs commands of the page, in which `petstore` is the built command. They must succeed. Returns the seconds. */
export async function follow(
  commands: string | undefined,
  environment: NodeJS.ProcessEnv,
  cwd: string,
): Promise<number> {
  const begunAt = performance.now();
  const cli = join(process.cwd(), 'dist/src/cli.js');
  const script = `set -eu; petstore() { '${process.execPath}' '${cli}' "$@"; }\n${commands ?? 'exit 1'}`;
  const PATH = `${findBinaries()}:${process.env['PATH'] ?? ''}`;
  const { code, stderr } = await runCommand('bash', ['-c', script], { ...environment, PATH }, '', { cwd });
  expect(code, `${commands ?? ''}\n${stderr}`).toBe(0);
  return (performance.now() - begunAt) / 1000;
}
