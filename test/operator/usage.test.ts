import { readFileSync } from 'node:fs';

import { type Command, CommanderError } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { AppModule } from '#src/app.module';
import { petstoreCommand } from '#src/commands/petstore.command';

// A command that reads the environment fails with another error.
beforeEach(() => void vi.stubEnv('PORT', 'wrong'));
afterEach(() => void vi.unstubAllEnvs());

/** Runs a command in this process, which ends before its action. Returns the exit code and the output. */
async function run(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const capture = (command: Command) => {
    command.exitOverride().configureOutput({
      writeOut: (text) => (written.stdout += text),
      writeErr: (text) => (written.stderr += text),
    });
    command.commands.forEach(capture);
  };
  const command = petstoreCommand(AppModule);
  capture(command);
  const error: unknown = await command.parseAsync(args, { from: 'user' }).catch((error: unknown) => error);
  if (!(error instanceof CommanderError)) throw error;
  return { code: error.exitCode, ...written };
}

test.each([
  [[]],
  [['nope']],
  [['distribute', '--shards', '0']],
  [['messages', 'nope']],
  [['keys', 'create', '--account', 'x'.repeat(65)]],
  [['keys', 'create', '--account', 'acme', '--label', '']],
  [['keys', 'revoke', 'abc']],
  [['keys', 'revoke', '9223372036854775808']],
  [['migrate', '--status', '--to', 'x']],
  [['messages', 'retry']],
  [['messages', 'retry', '019a9f3c-5c00-7e1b-8a4d-3f6b2c9d1e0f', '--all']],
  [['messages', 'retry', 'x']],
  [['messages', 'discard']],
])('invalid usage (%j) is reported on stderr before the environment is read', async (args) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^(?:error: .+\n\n)?Usage: /);
});

test.each([
  [['nope'], ['migrate', 'distribute', 'keys', 'messages', 'import']],
  [
    ['keys', 'delete'],
    ['create', 'list', 'revoke'],
  ],
  [
    ['messages', 'delete'],
    ['parked', 'retry', 'discard'],
  ],
])('a wrong command (%j) names the right ones, %j', async (args, right) => {
  const { stderr } = await run(args);
  for (const name of right) expect(stderr).toMatch(RegExp(`^  ${name}\\b`, 'm'));
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: { NewPet: { properties: object } } };
};

test.each([
  [[], ['migrate', 'distribute', 'keys', 'messages', 'import']],
  [['migrate'], ['--to', '--status']],
  [
    ['keys', 'create'],
    ['--account', '--label'],
  ],
  [['import'], ['--strict', '--dry-run', '--refused', '\n  0  ', '\n  1  ', '\n  2  ']],
  [['import'], Object.keys(components.schemas.NewPet.properties)],
])('petstore %j --help contains %j', async (command, words) => {
  const { code, stdout } = await run([...command, '--help']);
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toContain(word);
});
