import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

import type { Type } from '@nestjs/common';
import { register } from 'prom-client';
import { DataSource } from 'typeorm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { AccountsRepository } from '#src/auth/accounts/accounts.repository';
import { AuthModule } from '#src/auth/auth.module';
import { Database } from '#src/database/database';
import { ExpiredRows } from '#src/database/expired-rows';
import {
  AttemptFailed,
  type DeliveryOptions,
  MessageDelivery,
} from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { MessagesService } from '#src/messages/messages.service';
import { PetsModule } from '#src/pets/pets.module';
import { StoreModule } from '#src/store/store.module';

import { Client } from '../support/client.ts';
import { createDatabaseForTest, onPostgres, runSql } from '../support/database.ts';
import { createKey } from '../support/key.ts';
import { counterOf } from '../support/metrics.ts';
import { petstore, petstoreEach, rowsOf as rowsOfCommand } from '../support/petstore.ts';
import { freePort, postgresIsInstalled, startPostgres } from '../support/postgres.ts';
import { spawnService, startServiceProcess } from '../support/process.ts';
import type { Modules } from '../support/root.ts';
import { type Service, startServiceForTest, useService } from '../support/service.ts';

type Deliver = MessageDelivery['deliver'];
type Options = Omit<DeliveryOptions, 'deliver'> & Pick<MessageDelivery, 'onParked'>;

/** Starts a service that delivers messages with the function. */
function delivering(deliver: Deliver, { onParked = nothing, ...options }: Options = {}): Modules {
  const by: Type<MessageDelivery> = class extends MessageDelivery {
    override deliver = deliver;
    override onParked = onParked;
  };
  const messages = MessagesModule.register({ deliver: by, ...options });
  return [AuthModule, PetsModule, StoreModule, messages];
}

async function queue(client: Client, message: string): Promise<string> {
  const answer = await client.post('/v1/messages', { message });
  expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
  return (answer.body as { id: string }).id;
}

async function queueMany(client: Client, count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i++) ids.push(await queue(client, `message ${i}`));
  return ids;
}

interface Row {
  attempts: number;
  delivered: boolean;
  parked: boolean;
  last_error: string | null;
}

async function rowOf({ app }: Service, id: string): Promise<Row | undefined> {
  const [row] = await app.get(DataSource).query<Row[]>(
    `SELECT attempts, delivered_at IS NOT NULL AS delivered, parked_at IS NOT NULL AS parked, last_error
       FROM message WHERE id = $1`,
    [id],
  );
  return row;
}

/** The deliveries in their order. */
function recorder(): { ids: string[]; deliver: Deliver } {
  const ids: string[] = [];
  return { ids, deliver: ({ id }) => Promise.resolve(void ids.push(id)) };
}

const nothing = () => Promise.resolve();

/** Stops the clock until the end of the test, so that no timer fires, and no worker polls the queue unless it is woken. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'], fakeNodeBuiltins: true });
  onTestFinished(() => {
    // A worker that sleeps would not wake up on the real clock.
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
  });
}

/** Waits without advancing the fake clock. `expect.poll` would advance it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

test('the start stops if an option is less than 1', async () => {
  const start = startServiceForTest({}, delivering(nothing, { attempts: 0 }));
  await expect(start).rejects.toThrow('The option attempts of MessagesModule must be at least 1, not 0.');
});

/** Expires the lease of a message in delivery. */
async function endLease({ app }: Service, id: string): Promise<void> {
  await app.get(DataSource).query('UPDATE message SET due_at = now() WHERE id = $1', [id]);
}

/** A delivery whose attempts the test ends. */
function held() {
  const attempts: PromiseWithResolvers<undefined>[] = [];
  const deliver: Deliver = (_message, { number }) => {
    const ending = Promise.withResolvers<undefined>();
    attempts[number - 1] = ending;
    return ending.promise;
  };
  return { attempts, deliver };
}

describe('with the default options', () => {
  /** The delivery of the running test. */
  let deliver: Deliver;
  const service = useService(
    {},
    delivering((message, attempt) => deliver(message, attempt)),
  );

  test('messages of a transaction are delivered in the order in which they were queued', async () => {
    const { app } = service;
    const { ids } = ({ deliver } = recorder());
    const { id } = await app.get(AccountsRepository).getOrCreate('test');
    const queued = await app.get(Database).transaction(async (transaction) => {
      const made: string[] = [];
      for (let i = 0; i < 25; i++) {
        made.push((await app.get(MessagesService).queue(id, { message: `${i}` }, transaction)).id);
      }
      return made;
    });
    await expect.poll(() => ids).toEqual(queued);
  });

  test('a message with an Idempotency-Key is delivered right after the commit', async () => {
    const { client } = service;
    const { ids } = ({ deliver } = recorder());
    stopTheClock();
    for (let i = 0; i < 5; i++) {
      const headers = { 'Idempotency-Key': `key-${i}` };
      const { status, body } = await client.post('/v1/messages', { message: 'hello' }, { headers });
      expect(status).toBe(202);
      await until(() => ids.includes((body as { id: string }).id));
    }
  });

  test('a failed delivery is retried with back-off', async () => {
    const numbers: number[] = [];
    let begunAt = 0;
    deliver = async (_message, { number }) => {
      numbers.push(number);
      begunAt = Date.now();
      if (number < 4) throw new Error(`not now: ${number}`);
      return nothing();
    };
    const id = await queue(service.client, 'hello');
    const database = service.app.get(DataSource);
    for (const [attempts, seconds] of [5, 15, 45].entries()) {
      await expect
        .poll(() => rowOf(service, id))
        .toMatchObject({ attempts: attempts + 1, last_error: `not now: ${attempts + 1}` });
      const [row] = await database.query<[{ due_at: Date }]>('SELECT due_at FROM message WHERE id = $1', [
        id,
      ]);
      // The attempt ended between these two times.
      expect(row.due_at.getTime() - begunAt).toBeGreaterThanOrEqual(900 * seconds);
      expect(row.due_at.getTime() - Date.now()).toBeLessThanOrEqual(1100 * seconds);
      await database.query('UPDATE message SET due_at = now() WHERE id = $1', [id]);
    }
    await expect.poll(() => rowOf(service, id)).toMatchObject({ delivered: true, last_error: null });
    expect(numbers).toEqual([1, 2, 3, 4]);
  });

  test('a process that has lost the lease cannot fail the attempt of the next one, but its delivery counts', async () => {
    const { attempts } = ({ deliver } = held());
    const id = await queue(service.client, 'hello');
    for (const count of [1, 2, 3]) {
      await expect.poll(() => attempts.length).toBe(count);
      if (count < 3) await endLease(service, id);
    }
    const failures = () => counterOf('petstore_message_deliveries_total', { outcome: 'failed' });
    const before = await failures();
    attempts[0]?.reject(new Error('too late'));
    await expect.poll(failures).toBe(before + 1);
    expect(await rowOf(service, id)).toMatchObject({ last_error: null, attempts: 3 });
    attempts[1]?.resolve(undefined);
    await expect.poll(() => rowOf(service, id)).toMatchObject({ delivered: true });
    attempts[2]?.reject(new Error('a double'));
    await expect.poll(failures).toBe(before + 2);
    expect(await rowOf(service, id)).toMatchObject({ delivered: true, attempts: 3, last_error: null });
  });
});

test('messages that were queued before the start are delivered oldest first, and failing and hanging deliveries do not delay them as long as one slot is free', async () => {
  const { ids, deliver } = recorder();
  const first = await startServiceForTest({});
  for (const text of ['fails', 'hangs', 'hangs', 'hangs']) await queue(first.client, text);
  const queued = await queueMany(first.client, 20);
  const { environment } = first.database;
  if (!onPostgres()) await first.app.close();
  await startServiceForTest(
    { ...environment, SHUTDOWN_TIMEOUT_MS: '200' },
    delivering(
      (message, attempt) => {
        if (message.message === 'fails') return Promise.reject(new Error('no'));
        if (message.message === 'hangs') return new Promise(() => undefined);
        return deliver(message, attempt);
      },
      { concurrency: 4, timeoutMs: 300_000 },
    ),
  );
  stopTheClock();
  await until(() => ids.length >= queued.length);
  expect(ids).toEqual(queued);
});

// The state of the receiver does not depend on the kind of database.
test.runIf(onPostgres()).each([
  ['is away gets one attempt at a time', new Error('away'), 1],
  ['refuses single messages gets all attempts', new AttemptFailed('no', undefined, true), 4],
])('a receiver that %s, and all messages when it accepts them', async (_what, error, concurrent) => {
  const ids: string[] = [];
  const held: PromiseWithResolvers<undefined>[] = [];
  let isHolding = true;
  let attempts = 0;
  const deliver: Deliver = ({ id }) => {
    // The receiver counts as away after ten failures. Three other attempts may have begun by then.
    if (++attempts <= 13) return Promise.reject(error);
    ids.push(id);
    const ending = Promise.withResolvers<undefined>();
    if (!isHolding) return nothing();
    held.push(ending);
    return ending.promise;
  };
  const options = { concurrency: 4, retryAfterMs: () => 3_600_000 };
  const { client } = await startServiceForTest({}, delivering(deliver, options));
  const queued = await queueMany(client, 20);
  await expect.poll(() => held.length).toBe(concurrent);
  queued.push(...(await queueMany(client, 5)));
  expect(held).toHaveLength(concurrent);
  isHolding = false;
  for (const ending of held) ending.resolve(undefined);
  await expect.poll(() => ids.length).toBe(queued.length - 13);
  expect(ids.toSorted()).toEqual(queued.slice(-ids.length).toSorted());
});

// On the embedded database, a process starts for seconds.
test.runIf(onPostgres())(
  'the log has a line for each change of the receiver and of the queue, not for each attempt',
  async () => {
    const database = await createDatabaseForTest();
    const { environment } = database;
    const METRICS_PORT = String(await freePort());
    const key = await createKey(environment);
    let received = 0;
    const server = createServer((_request, response) => {
      received++;
      response.end();
    });
    onTestFinished(() => server.close().closeAllConnections());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await once(server.close(), 'close');
    const service = await startServiceProcess({
      ...environment,
      METRICS_PORT,
      MESSAGE_WEBHOOK_URL: `http://127.0.0.1:${port}`,
      MESSAGE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
    });
    const queued = await queueMany(await Client.of(service.url, key), 60);
    const linesOf = (text: string) => service.stdout().split(text).length - 1;
    await expect.poll(() => linesOf('The receiver of the messages is away')).toBe(1);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    await expect.poll(() => received, { timeout: 30_000 }).toBe(queued.length);
    expect(linesOf('The receiver of the messages is back')).toBe(1);
    expect(linesOf('"level":40') + linesOf('"level":50')).toBe(2);

    await runSql(database, 'ALTER TABLE message RENAME TO elsewhere');
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text(), { timeout: 30_000 })
      .toMatch(/_count\{statement="message-take",outcome="failure"\} [2-9]/);
    await runSql(database, 'ALTER TABLE elsewhere RENAME TO message');
    await expect.poll(() => linesOf('Deliveries continue'), { timeout: 30_000 }).toBe(1);
    expect(linesOf('Deliveries are paused: the queue cannot be read')).toBe(1);
  },
);

const REASONS: Record<string, unknown> = {
  'an object without a prototype': Object.create(null) as unknown,
  'an error whose message throws': Object.defineProperty(new Error('odd'), 'message', {
    get: () => {
      throw new Error('unreadable');
    },
  }),
  nothing: undefined,
};

describe('with two attempts and a short timeout', () => {
  /** The delivery of the running test. */
  let deliver: Deliver;
  const service = useService(
    {},
    delivering((message, attempt) => deliver(message, attempt), {
      timeoutMs: 100,
      retryAfterMs: () => 1,
      attempts: 2,
    }),
  );

  test('a delivery that throws synchronously is retried, and one that exceeds its timeout gets an aborted signal and counts as failed', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const signals: AbortSignal[] = [];
    deliver = (_message, { number, signal }) => {
      signals.push(signal);
      if (number === 1) throw new Error('not ready');
      return new Promise(() => undefined);
    };
    const id = await queue(service.client, 'hello');
    // The second attempt began later, so it times out later.
    await expect.poll(() => rowOf(service, id)).toMatchObject({ parked: true, attempts: 2 });
    expect(signals).toMatchObject([{ aborted: false }, { reason: { name: 'TimeoutError' } }]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test.each(Object.keys(REASONS))(
    'a delivery that rejects with %s is recorded and parked',
    async (reason) => {
      deliver = () => Promise.resolve().then(() => Promise.reject<undefined>(REASONS[reason] as Error));
      const id = await queue(service.client, 'hello');
      await expect.poll(() => rowOf(service, id)).toMatchObject({ parked: true });
      expect((await rowOf(service, id))?.last_error).toBeTruthy();
    },
  );
});

test.runIf(onPostgres())(
  'after the last attempt a message is parked with its error, until an operator queues it again',
  async () => {
    const settings = { attempts: 3, retryAfterMs: () => 1 };
    const error = new Error('the\0 receiver\nsays \u001b[31mno');
    const parked = new Map<string, unknown>();
    const failing = delivering(() => Promise.reject(error), {
      ...settings,
      onParked: (message, reason) => void parked.set(message.id, reason),
    });
    const service = await startServiceForTest({}, failing);
    const { environment } = service.database;
    const [id, other] = [await queue(service.client, 'hello'), await queue(service.client, 'world')];
    await expect.poll(() => rowOf(service, id)).toMatchObject({ parked: true, attempts: 3 });
    await expect.poll(() => rowOf(service, other)).toMatchObject({ parked: true, attempts: 3 });
    await service.app.close();
    const expected = [id, other].map((each) => [each, error] as const);
    expect(parked).toEqual(new Map(expected));

    const [listed, retried, again] = await petstoreEach(environment, [
      ['messages', 'parked'],
      ['messages', 'retry', id],
      ['messages', 'retry', id],
    ]);
    expect(rowsOfCommand(listed)).toMatchObject([
      {
        id,
        attempts: 3,
        lastError: 'the receiver\nsays \u001b[31mno',
        parkedAt: expect.any(String) as string,
      },
      { id: other },
    ]);
    expect(retried?.stdout).toBe('1 queued\n');
    expect(again).toMatchObject({
      code: 1,
      stderr: `petstore: There is no parked or waiting message with the id ${id}.\n`,
    });

    const { ids, deliver } = recorder();
    const next = await startServiceForTest(environment, delivering(deliver, settings));
    await expect.poll(() => rowOf(next, id)).toMatchObject({ delivered: true, attempts: 1 });
    expect(ids).toEqual([id]);
    expect(await rowOf(next, other)).toMatchObject({ parked: true });
  },
);

test.runIf(onPostgres())(
  'any number of parked messages can be listed, queued again and discarded',
  async () => {
    const service = await startServiceForTest();
    const { environment } = service.database;
    const database = service.app.get(DataSource);
    const queued = await service.client.post('/v1/messages', { message: 'hello' });
    const { id } = queued.body as { id: string };
    await database.query(
      `INSERT INTO message (id, account_id, message, status, created_at, attempts, last_error, parked_at)
     SELECT gen_random_uuid(), account_id, message, status, created_at, 12, 'no', now()
     FROM message, generate_series(1, 2500) WHERE id = $1`,
      [id],
    );
    const messages = service.app.get(MessagesService);
    const firstPage = await messages.listParked(1000);
    // The states of those that wait for their back-off, and of one that may be in delivery.
    const change = (column: string, count: number) =>
      database.query(
        `UPDATE message SET parked_at = NULL, ${column}
         WHERE id IN (SELECT id FROM message WHERE parked_at IS NOT NULL LIMIT ${count})`,
      );
    const listed = await petstore(environment, ['messages', 'parked']);
    const ids = (rowsOfCommand(listed) as { id: string }[]).map(({ id }) => id);
    expect(ids.slice(0, 1000)).toEqual(firstPage.map(({ id }) => id));
    expect(new Set(ids).size).toBe(2500);
    expect(ids).toHaveLength(2500);

    await change(`due_at = now() + interval '1 hour'`, 1200);
    await change(`due_at = now() + interval '30 seconds'`, 1);
    const [retried, none] = await petstoreEach(environment, [
      ['messages', 'retry', '--all'],
      ['messages', 'parked'],
    ]);
    expect(retried).toMatchObject({ code: 0, stdout: '2499 queued\n' });
    expect(none).toMatchObject({ stdout: '', stderr: '' });

    const given = firstPage.map(({ id }) => id);
    await database.query('UPDATE message SET parked_at = now() WHERE id = ANY ($1)', [given]);
    const [discarded, again, all] = await petstoreEach(environment, [
      ['messages', 'discard', given[0] ?? ''],
      ['messages', 'discard', given[0] ?? ''],
      ['messages', 'discard', '--all'],
    ]);
    expect(discarded).toMatchObject({ code: 0, stdout: '1 discarded\n' });
    expect(again).toMatchObject({
      code: 1,
      stderr: `petstore: There is no parked message with the id ${given[0]}.\n`,
    });
    expect(all).toMatchObject({ code: 0, stdout: '999 discarded\n' });
    expect(await database.query('SELECT count(*)::int AS count FROM message')).toEqual([{ count: 1501 }]);
  },
);

test.runIf(onPostgres())('several processes share the messages, and deliver each message once', async () => {
  const delivered = [new Set<string>(), new Set<string>()] as const;
  const doubles: string[] = [];
  const deliverTo = (own: Set<string>) =>
    delivering(({ id }) => {
      if (delivered.some((ids) => ids.has(id))) doubles.push(id);
      own.add(id);
      return nothing();
    });
  const service = await startServiceForTest();
  const queued = await queueMany(service.client, 200);
  await Promise.all(
    delivered.map((own) => startServiceForTest(service.database.environment, deliverTo(own))),
  );
  // The worker also finds messages that another process has queued without delivering them.
  queued.push(...(await queueMany(service.client, 50)));
  await expect.poll(() => delivered[0].size + delivered[1].size, { timeout: 30_000 }).toBe(queued.length);
  expect(doubles).toEqual([]);
  expect([...delivered[0], ...delivered[1]].toSorted()).toEqual(queued.toSorted());
});

test('delivered messages are removed after MESSAGE_RETENTION_DAYS, and others are not', async () => {
  const { app, client } = await startServiceForTest({ MESSAGE_RETENTION_DAYS: '2' });
  const database = app.get(DataSource);
  const queue = async (column: string, days: number) => {
    const { id } = (await client.post('/v1/messages', { message: 'hello' })).body as { id: string };
    await database.query(`UPDATE message SET ${column} = now() - $2 * interval '1 day' WHERE id = $1`, [
      id,
      days,
    ]);
    return id;
  };
  await queue('delivered_at', 2.1);
  const kept = [
    await queue('delivered_at', 1.9),
    await queue('parked_at', 100),
    await queue('created_at', 100),
  ];
  await app.get(ExpiredRows).removeAll();
  const left = await database.query<{ id: string }[]>('SELECT id FROM message ORDER BY id');
  expect(left.map(({ id }) => id)).toEqual(kept);
});

test('a shutdown waits for deliveries in progress and takes no further messages, which the next process delivers, and no other again', async () => {
  const { promise: release, resolve } = Promise.withResolvers<undefined>();
  const begun: string[] = [];
  const modules = delivering(
    ({ id }) => {
      begun.push(id);
      return release;
    },
    { concurrency: 1 },
  );
  const service = await startServiceForTest({}, modules);
  const [first, second] = [await queue(service.client, 'hello'), await queue(service.client, 'world')];
  await expect.poll(() => begun).toEqual([first]);
  let stopped = false;
  const stopping = service.app.close().then(() => (stopped = true));
  await turn();
  expect(stopped).toBe(false);
  resolve(undefined);
  await stopping;
  expect(begun).toEqual([first]);
  const next = await startServiceForTest(service.database.environment, modules);
  await expect.poll(() => rowOf(next, second)).toMatchObject({ delivered: true, attempts: 1 });
  expect(await rowOf(next, first)).toMatchObject({ delivered: true, attempts: 1 });
  expect(begun).toEqual([first, second]);
});

test('a delivery that takes half of the shutdown timeout is aborted, and its message keeps its place in the queue', async () => {
  const begun: [id: string, signal: AbortSignal][] = [];
  const service = await startServiceForTest(
    { SHUTDOWN_TIMEOUT_MS: '200' },
    delivering(
      ({ id }, { signal }) => {
        begun.push([id, signal]);
        return new Promise(() => undefined);
      },
      { concurrency: 1 },
    ),
  );
  const queued = await queueMany(service.client, 3);
  await expect.poll(() => begun).toMatchObject([[queued[0], { aborted: false }]]);
  await service.app.close();
  expect(begun).toMatchObject([[queued[0], { aborted: true }]]);
  const { ids, deliver } = recorder();
  const next = await startServiceForTest(
    service.database.environment,
    delivering(deliver, { concurrency: 1 }),
  );
  await expect.poll(() => ids).toEqual(queued);
  await expect
    .poll(() => rowOf(next, queued[0] ?? ''))
    .toMatchObject({ delivered: true, attempts: 1, last_error: null });
});

test.runIf(onPostgres())(
  'a message that is being taken when the service stops is delivered before the stop',
  async () => {
    const begun: string[] = [];
    const service = await startServiceForTest(
      {},
      delivering(({ id }) => {
        begun.push(id);
        return nothing();
      }),
    );
    const other = await startServiceForTest(service.database.environment);
    const id = await queue(other.client, 'hello');
    await expect.poll(() => rowOf(other, id)).toMatchObject({ delivered: true });
    const locking = other.app.get(DataSource).createQueryRunner();
    await locking.startTransaction();
    await locking.query(
      `UPDATE message SET delivered_at = NULL, due_at = now(), attempts = 0 WHERE id = '${id}'`,
    );
    await locking.query('LOCK TABLE message IN ACCESS EXCLUSIVE MODE');
    await expect.poll(() => takersThatWait(other)).toBe(1);
    const closing = service.app.close();
    await turn();
    await locking.commitTransaction();
    await locking.release();
    await closing;
    expect(begun).toEqual([id, id]);
    expect(await rowOf(other, id)).toMatchObject({ delivered: true, attempts: 1 });
  },
);

/** Counts the statements that wait for the lock of the table of messages. */
async function takersThatWait({ app }: Service): Promise<number> {
  const [row] = await app
    .get(DataSource)
    .query<{ count: bigint }[]>(
      `SELECT count(*) FROM pg_locks WHERE relation = 'message'::regclass AND NOT granted`,
    );
  return Number(row?.count);
}

/** A slow receiver that counts the messages that arrive, one after the other. */
async function startReceiver(): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push((request.url ?? '').slice(1));
    setImmediate(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

test.runIf(onPostgres())('a kill -9 during deliveries loses no acknowledged message', async () => {
  const database = await createDatabaseForTest();
  const { url: receiverUrl, received } = await startReceiver();
  const before = await startServiceForTest(database.environment);
  const queued = await queueMany(before.client, 200);
  await before.app.close();

  const start = () =>
    spawnService({ ...database.environment, RECEIVER_URL: receiverUrl }, ['test/deliveries/service.ts']);
  const killed = start();
  await expect.poll(() => new Set(received).size, { interval: 1 }).toBeGreaterThan(50);
  killed.signal('SIGKILL');
  expect((await killed.exit).signal).toBe('SIGKILL');
  expect(new Set(received).size).toBeLessThan(queued.length);
  // The leases of the killed process end.
  await runSql(database, 'UPDATE message SET due_at = now() WHERE delivered_at IS NULL');
  start();
  await expect.poll(() => [...new Set(received)].toSorted(), { timeout: 50_000 }).toEqual(queued.toSorted());
});

test.runIf(postgresIsInstalled() && !onPostgres())(
  'when an unavailable database is available again, deliveries continue, and none that succeeded is repeated',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.remove());
    const { promise: release, resolve } = Promise.withResolvers<undefined>();
    const delivered: string[] = [];
    const deliver: Deliver = ({ id }) => release.finally(() => delivered.push(id));
    const service = await startServiceForTest({ DATABASE_URL: postgres.url }, delivering(deliver));
    const first = await queue(service.client, 'hello');
    await expect.poll(() => rowOf(service, first)).toMatchObject({ attempts: 1 });
    await postgres.stop();
    await expect.poll(async () => (await service.client.get('/health/ready')).status).toBe(503);
    resolve(undefined);
    await expect
      .poll(() => register.getSingleMetricAsString('petstore_database_statement_duration_seconds'))
      .toMatch(/_count\{statement="message-delivered",outcome="failure"\} [1-9]/);
    await postgres.start();
    await expect
      .poll(() => rowOf(service, first).catch(() => undefined))
      .toMatchObject({ delivered: true, attempts: 1 });
    const second = await queue(service.client, 'world');
    await expect.poll(() => delivered).toEqual([first, second]);
  },
);
