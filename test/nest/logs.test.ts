import { Controller, Get, Logger, Module, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Express } from 'express';
import { PinoLogger } from 'nestjs-pino';
import { expect, onTestFinished, test, vi } from 'vitest';

import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { PetsService } from '#src/pets/pets.service';

import { createDatabaseForTest } from '../support/database.ts';
import { FEATURES, rootOf } from '../support/root.ts';

@ApiExcludeController()
@Controller('visits')
class VisitsController {
  private readonly logger = new Logger('Visits');

  constructor(
    private readonly pino: PinoLogger,
    private readonly pets: PetsService,
  ) {}

  @Get(':name')
  async find(@Param('name') name: string): Promise<object> {
    this.pino.assign({ visit: name });
    await this.pets.get(1n, 1n).catch(() => undefined);
    this.logger.log(`found ${name}`);
    this.pino.info(`looked at ${name}`);
    return {};
  }
}

@Module({ controllers: [VisitsController] })
class VisitsModule {}

test('lines of a handler have the id of their request and the fields that the handler assigns; any route is logged', async () => {
  const { environment } = await createDatabaseForTest();
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  onTestFinished(() => {
    vi.restoreAllMocks();
    PinoLogger.root.level = 'silent';
  });
  const config = readConfig({ ...environment, LOG_LEVEL: 'info' });
  // nestjs-pino keeps the logger of the first application of a process, which can be that of another test.
  if (PinoLogger.root as typeof PinoLogger.root | undefined) PinoLogger.root.level = 'info';
  const app = await createApp(rootOf([...FEATURES, VisitsModule], { config }));
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(/^\/ping/, (_request, response) => response.sendStatus(204));
  await app.listen(0, '127.0.0.1');
  PinoLogger.root.level = 'info';
  const { key } = await app.get(KeysService).createFor('test', 'test');
  const url = await app.getUrl();
  const names = ['tom', 'rex', 'ann'];
  for (const response of await Promise.all(
    names.map((name) =>
      fetch(`${url}/visits/${name}`, {
        headers: { authorization: `Bearer ${key}`, 'x-request-id': `id-${name}` },
      }),
    ),
  )) {
    expect(response.status).toBe(200);
  }
  expect((await fetch(`${url}/ping`)).status).toBe(204);
  await app.close();
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const name of names) {
    const fields = { requestId: `id-${name}`, visit: name };
    expect(logged).toContainEqual(
      expect.objectContaining({ ...fields, context: 'Visits', msg: `found ${name}` }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ ...fields, msg: `looked at ${name}` }));
  }
  expect(logged).toContainEqual(expect.objectContaining({ route: String.raw`/^\/ping/`, status: 204 }));
  expect(lines.filter((line) => line.split('"requestId"').length > 2)).toEqual([]);
});
