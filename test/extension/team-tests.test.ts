import { execFileSync } from 'node:child_process';

import { expect, inject, test } from 'vitest';

/** Runs a script of the application in its directory. Throws its output when it fails. */
function npmRun(script: string): string {
  try {
    return execFileSync('npm', ['run', '--silent', script], {
      cwd: inject('shopDirectory'),
      env: { ...process.env, NODE_ENV: 'test' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}

test('the tests of the application pass in Vitest', () => {
  expect(npmRun('test')).toContain('passed');
});

test('a feature of the application compiles alone in Jest', () => {
  npmRun('test:jest');
});
