import { inject, expect, onTestFinished, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import { shopEnvironment, shopProgram } from './support/shop.ts';

/** The start of a program whose composition has a feature that fails. */
const PREAMBLE = `
  import { Module } from '@nestjs/common';
  import { WebSocketGateway } from '@nestjs/websockets';
  import { AuthModule, exitWith, readConfig, serve } from 'petstore';
  class Feature {}
  const start = (metadata, composition = {}) => {
    Module(metadata)(Feature);
    return serve(readConfig(process.env), { features: [AuthModule, Feature], ...composition }).catch(exitWith);
  };
`;

async function run(script: string) {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const args = ['--input-type=module', '--eval', PREAMBLE + script];
  const environment = { PORT: '0', ...database.environment };
  return runCommand(process.execPath, args, environment, '', { cwd: inject('shopDirectory') ?? '' });
}

test.each([
  [
    'a dependency is missing',
    `await start({ providers: [{ provide: 'a', inject: ['calendar'], useFactory: () => 1 }] })`,
    "Nest can't resolve dependencies",
  ],
  [
    'a provider fails',
    `await start({ providers: [{ provide: 'a', useFactory: () => { throw new Error('no calendar') } }] })`,
    'no calendar',
  ],
  [
    'a lifecycle hook fails',
    `Feature.prototype.onModuleInit = () => { throw new Error('no calendar') };
     await start({})`,
    'no calendar',
  ],
  [
    'the configuration of the application fails',
    `await start({}, { configure: () => Promise.reject(new Error('no calendar')) })`,
    'no calendar',
  ],
  [
    'a code has no status',
    `await start({}, { errorCodes: { review_rejected: 42 } })`,
    'composition.errorCodes gives review_rejected the status 42',
  ],
  [
    'a DTO class does not extend the one that it replaces',
    `await start({}, { dtos: [{ provide: AuthModule, useClass: Feature }] })`,
    'composition.dtos replaces AuthModule by Feature, which does not extend it.',
  ],
])('a start says on stderr, once, that %s', async (_what, script, reason) => {
  const { code, stderr } = await run(script);
  expect(code).toBe(1);
  expect(stderr.split(reason)).toHaveLength(2);
  expect(stderr).toMatch(/^petstore: /);
});

test('a start logs that a gateway lacks its adapter', async () => {
  const script = `
    class Gateway {}
    WebSocketGateway()(Gateway);
    await start({ providers: [Gateway] })`;
  const { code, stdout } = await run(script);
  expect(code).toBe(1);
  expect(stdout).toContain('No driver (WebSockets) has been selected.');
});

test('a start says on stderr which variable of the team is wrong', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const environment = {
    ...shopEnvironment('http://127.0.0.1:9/', 'here'),
    ...database.environment,
    CLINIC_OPENS_AT: '12',
  };
  const { code, stderr } = await runCommand(process.execPath, [shopProgram('main.js')], environment);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^petstore: (WEBHOOK_URL|CLINIC_OPENS_AT): /);
});

test('a start says in one line that the port of a server of the team is in use', async () => {
  const { code, stderr } = await run(`
    import { createServer } from 'node:http';
    const feature = createServer().listen(0, '127.0.0.1', () => {
      createServer().on('error', exitWith).listen(feature.address().port, '127.0.0.1');
    });`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^petstore: listen EADDRINUSE[^\n]*\n$/);
});
