import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { parseJsonWithBigints } from '#src/domain/json';
import type { Page } from '#src/pagination/page';
import type { Pet } from '#src/pets/pet.dto';
import { PetsRepository } from '#src/pets/pets.repository';
import { PostgresPetsRepository } from '#src/pets/postgres-pets.repository';

import { startServiceForTest } from '../support/service.ts';

test('a page of long names is written in several turns of the event loop, and is correct', async () => {
  const { app, client, url } = await startServiceForTest();
  const pets = app.get(PostgresPetsRepository);
  const name = '🐈'.repeat(20_000);
  await pets.insertBatches([Array.from({ length: 101 }, () => ({ name, categoryId: 1n }))]);
  const page = await pets.list({ accountId: 1n, status: undefined, after: 0n, limit: 100 });
  const progress = { isRead: false, turns: 0 };
  const answer = client.get('/v1/pets?limit=100').finally(() => (progress.isRead = true));
  for (; !progress.isRead; progress.turns++) await setImmediate();
  expect(progress.turns).toBeGreaterThan(30);
  const { status, headers, text } = await answer;
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('link')).toBe(`<${url}/v1/pets?limit=100&after=${page.nextAfter}>; rel="next"`);
  expect(parseJsonWithBigints(text)).toEqual(page.items);
});

test('while 16 clients read long pages slowly, a further long page gets 503 and short pages are served', async () => {
  const { app, client, url } = await startServiceForTest();
  // As JSON, a page of these is longer than what the buffers of a connection hold.
  const name = '\u0001'.repeat(20_000);
  await app
    .get(PostgresPetsRepository)
    .insertBatches([Array.from({ length: 100 }, () => ({ name, categoryId: 1n }))]);
  const { hostname, port } = new URL(url);
  const authorization = `Authorization: Bearer ${client.key ?? ''}`;
  const readers = Array.from({ length: 16 }, () => connect(Number(port), hostname));
  onTestFinished(() => readers.forEach((reader) => void reader.destroy()));
  for (const reader of readers) {
    reader.write(`GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`);
    await once(reader, 'readable');
  }
  const further = await client.get('/v1/pets?limit=100');
  expect(further).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(further.headers.get('retry-after')).toBe('1');
  expect((await client.get('/v1/pets?limit=1')).status).toBe(200);
  for (const reader of readers) reader.destroy();
  await expect.poll(async () => (await client.get('/v1/pets?limit=100')).status).toBe(200);
});

test('long pages whose clients have left do not count', async () => {
  const gate = Promise.withResolvers<undefined>();
  let [waiting, left] = [0, 0];
  class SlowPetsRepository extends PostgresPetsRepository {
    override async list(...slice: Parameters<PostgresPetsRepository['list']>): Promise<Page<Pet>> {
      waiting++;
      await gate.promise;
      return super.list(...slice);
    }
  }
  const { app, client, url } = await startServiceForTest(
    {},
    { replace: [{ provide: PetsRepository, useClass: SlowPetsRepository }] },
  );
  const pets = Array.from({ length: 100 }, () => ({ name: '\u0001'.repeat(20_000), categoryId: 1n }));
  await app.get(PostgresPetsRepository).insertBatches([pets]);
  app.getHttpServer().on('connection', (socket) => socket.once('close', () => left++));
  const { hostname, port } = new URL(url);
  const leavers = Array.from({ length: 16 }, () => connect(Number(port), hostname));
  for (const leaver of leavers) {
    leaver.write(
      `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${client.key ?? ''}\r\n\r\n`,
    );
  }
  await expect.poll(() => waiting).toBe(16);
  for (const leaver of leavers) leaver.destroy();
  await expect.poll(() => left).toBe(16);
  gate.resolve(undefined);
  await expect.poll(async () => (await client.get('/v1/pets?limit=100')).status).toBe(200);
});

test('more distinct pages than one statement reads are all served, each with its own animals', async () => {
  const { app } = await startServiceForTest();
  const pets = app.get(PostgresPetsRepository);
  const names = Array.from({ length: 1000 }, (_, number) => `animal ${number}`);
  await pets.insertBatches([names.map((name) => ({ name, categoryId: 1n }))]);
  const starts = Array.from({ length: 9 }, (_, index) => index * 100);
  const pages = await Promise.all(
    starts.map((start) => pets.list({ accountId: 1n, status: undefined, after: BigInt(start), limit: 100 })),
  );
  expect(pages.map(({ items }) => items.map((pet) => pet.name))).toEqual(
    starts.map((start) => names.slice(start, start + 100)),
  );
});
