import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { runCommand } from '../../support/command.ts';
import { findBinaries, type Postgres } from '../../support/postgres.ts';

/** Returns the shell commands of a section of the documentation, in their order. */
export function commandsOfSection(page: string, heading: string): string[] {
  const [, section = ''] = readFileSync(`docs/${page}`, 'utf8').split(`\n${heading}\n`);
  const [own = ''] = section.split(/\n###? /);
  // The blocks of the steps are indented, and so are the ends of their here documents.
  return [...own.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Returns the variables of the commands for servers. */
export function addressesOf(servers: Record<string, Postgres | undefined>): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, server] of Object.entries(servers)) {
    const { href, hostname, port } = new URL(server?.url ?? '');
    Object.assign(environment, { [`${name}_URL`]: href, [`${name}_HOST`]: hostname, [`${name}_PORT`]: port });
  }
  return environment;
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
