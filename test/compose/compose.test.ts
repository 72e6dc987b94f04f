import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { composeIsAvailable, prepareStack, type Stack } from './stack.ts';

const PAGE = readFileSync('docs/operations.md', 'utf8');

/** The commands under the heading about containers, in their order. */
const [START = '', UPDATE = ''] = [
  ...(/^## Containers\n.*?^## /ms.exec(PAGE)?.[0] ?? '').matchAll(/^```sh\n(.*?)^```$/gms),
].map(([, block = '']) => block);

/** The pause of a client between two requests. */
const PAUSE_MS = 20;

const isAvailable = composeIsAvailable();
if (!isAvailable) console.log('skipped: no Docker daemon with Compose answers');

describe.skipIf(!isAvailable)('the stack of Compose', () => {
  let stack: Stack;
  let key: string;
  let volumesBefore: string;

  const listVolumes = async () => (await stack.run('docker volume ls --quiet')).stdout;
  const containersOf = async (service: string) =>
    (await stack.run(`docker compose ps --quiet ${service}`)).stdout.trim().split('\n');
  const sql = async (statement: string, role = 'postgres') =>
    (
      await stack.run(`docker compose exec -T postgres psql -qAt -U ${role} petstore -c "${statement}"`)
    ).stdout.trim();

  async function send(method: 'GET' | 'POST', path: string, json?: object, idempotencyKey?: string) {
    const response = await fetch(stack.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Sends gets and creates from four clients, until the work ends, and at least 100. Returns those that failed. */
  async function failuresDuring(work: () => Promise<unknown>): Promise<unknown[]> {
    const failures: unknown[] = [];
    let [isOver, count] = [false, 0];
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; !isOver || count < 100; i++, count++) {
        const answer =
          i % 2
            ? send('GET', '/v1/pets')
            : send('POST', '/v1/pets', { name: 'Tom', categoryId: 1 }, `${client}-${i}-${count}`);
        await answer
          .then(({ status, text }) => {
            if (status !== (i % 2 ? 200 : 201)) throw new Error(`${status}: ${text}`);
          })
          .catch((error: unknown) => failures.push(error));
        await sleep(PAUSE_MS);
      }
    });
    try {
      await work();
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    return failures;
  }

  /** Ends the first process of a container with SIGKILL, as the kernel does when memory is short. */
  async function kill(container: string): Promise<void> {
    const { stdout } = await stack.run(`docker inspect --format '{{.State.Pid}}' ${container}`);
    await stack.run(
      `docker run --rm --pid host --user root --entrypoint sh petstore -c 'kill -KILL ${stdout.trim()}'`,
    );
  }

  async function firingAlerts(): Promise<string[]> {
    const { data } = (await (await fetch(`${stack.prometheusUrl}/api/v1/alerts`)).json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] };
    };
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  }

  // The first commands of the documentation, on nothing.
  beforeAll(async () => {
    const [, bind = ''] = /`(bind :443 [^`]*)`/.exec(PAGE) ?? [];
    stack = await prepareStack(bind);
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), stack.certificate]);
    volumesBefore = await listVolumes();
    const { stdout } = await stack.run(START);
    key = /^ps_\w+$/m.exec(stdout)?.[0] ?? '';
  });
  afterAll(() => stack.remove());

  test('starts from nothing, and answers a call through TLS', async () => {
    expect((await send('POST', '/v1/pets', { name: 'Kitty', categoryId: 1 })).status).toBe(201);
    expect((await send('GET', '/v1/pets')).text).toContain('"Kitty"');
    expect((await send('GET', '/docs')).status).toBe(200);
  });

  test('speaks HTTP/1.1 to clients that offer HTTP/2 first', async () => {
    const { port } = new URL(stack.url);
    const socket = tls.connect({
      port: Number(port),
      host: '127.0.0.1',
      servername: 'localhost',
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => socket.alpnProtocol).toBe('http/1.1');
  });

  test('a command prints its result only', async () => {
    const { stdout, stderr } = await stack.run(
      'docker compose run --rm --no-deps -T petstore node dist/src/cli.js migrate --status',
    );
    expect(stdout).toMatch(/^(?:\{"id":"\w+","state":"done"\}\n)+$/);
    expect(stderr).not.toMatch(/warn/i);
  });

  test('the image has at most 300 MB, and nothing that only the build and the tests need', async () => {
    const inspected = (await stack.run('docker image inspect petstore')).stdout;
    const [{ Size, Config }] = JSON.parse(inspected) as [{ Size: number; Config: object }];
    expect(Config).toMatchObject({ User: '1000:1000' });
    expect(Size).toBeLessThan(300_000_000);
    const find = `find /app -name '*.ts' -o -name '*.map' -o -name .tsbuildinfo -o -name typescript -o -type d -name test -o -path '*/dist/src/testing'`;
    const { stdout } = await stack.run(`docker run --rm --entrypoint sh petstore -c "${find}"`);
    expect(stdout).toBe('');
  });

  test('the image serves the embedded database as user 1000, on a read-only root and with the documented memory', async () => {
    const options = '--read-only --tmpfs /data:uid=1000,gid=1000,mode=0700 --memory 640m --memory-swap 640m';
    const container = (await stack.run(`docker run --detach ${options} petstore`)).stdout.trim();
    onTestFinished(() => stack.run(`docker rm --force ${container}`).then(() => undefined));
    const log = async () => (await stack.run(`docker logs ${container}`)).stdout;
    await expect.poll(log).toMatch(/ps_\w{33}/);
    const [, firstKey = ''] = /^ +(ps_\w{33})$/m.exec(await log()) ?? [];
    const call = `fetch('http://127.0.0.1:3000/v1/pets', { headers: { authorization: 'Bearer ${firstKey}' } })
      .then((answer) => answer.text()).then(console.log)`;
    const { stdout } = await stack.run(`docker exec ${container} node -e "${call}"`);
    expect(stdout).toBe('[]\n');
    await expect(stack.run(`docker exec ${container} touch /app/file`)).rejects.toThrow(/Read-only/);
    await stack.run(`docker stop ${container}`);
    const ended = await stack.run(`docker inspect --format '{{.State.ExitCode}}' ${container}`);
    expect(ended.stdout).toBe('0\n');
  });

  test('the role of the service can only read and write rows', async () => {
    expect(await sql('SELECT rolname FROM pg_roles WHERE rolsuper')).toBe('postgres');
    expect(await sql('SELECT DISTINCT usename FROM pg_stat_activity WHERE client_addr IS NOT NULL')).toBe(
      'petstore_a',
    );
    await expect(sql('DROP TABLE pet', 'petstore_a')).rejects.toThrow('must be owner of table pet');
  });

  test('no request that can be repeated fails when a replica is killed, which then starts again', async () => {
    const [replica = ''] = await containersOf('petstore');
    const state = `docker inspect --format '{{.RestartCount}} {{.State.Health.Status}}' ${replica}`;
    const failures = await failuresDuring(async () => {
      await kill(replica);
      await expect.poll(async () => (await stack.run(state)).stdout).toBe('1 healthy\n');
    });
    expect(failures).toEqual([]);
  });

  test('no request fails during an update', async () => {
    const before = await containersOf('petstore');
    expect(await failuresDuring(() => stack.run(UPDATE))).toEqual([]);
    const after = await containersOf('petstore');
    expect(after).toHaveLength(2);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
  });

  test('no acknowledged create is lost when PostgreSQL is killed, and the service recovers without a restart', async () => {
    const acknowledged: string[] = [];
    const [postgres = ''] = await containersOf('postgres');
    const create = async () => {
      const { status, text } = await send('POST', '/v1/pets', { name: 'Tom', categoryId: 1 });
      if (status === 201) acknowledged.push((JSON.parse(text) as { id: number }).id.toString());
      return status;
    };
    const killed = kill(postgres);
    await expect.poll(create, { interval: 20 }).toBe(503);
    await killed;
    await expect.poll(create).toBe(201);
    const stored = (await sql('SELECT id FROM pet')).split('\n');
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
  });

  test('`up --wait` fails when the balancer cannot start', async () => {
    const file = readFileSync(stack.balancerFile, 'utf8');
    writeFileSync(stack.balancerFile, `${file}\nunknown`);
    const restart = 'docker compose up --wait --wait-timeout 60 --no-deps --force-recreate balancer';
    await expect(stack.run(restart)).rejects.toThrow();
    writeFileSync(stack.balancerFile, file);
    await stack.run(restart);
    expect((await send('GET', '/v1/pets')).status).toBe(200);
  });

  describe('Prometheus', () => {
    beforeAll(async () => {
      await stack.run('docker compose up --detach --wait prometheus');
      await vi.waitFor(async () => expect(await firingAlerts()).toEqual([]), {
        timeout: 300_000,
        interval: 500,
      });
    });

    // Each remedy is that of docs/runbook.md.
    test.each([
      [
        'PetstoreDown',
        'a replica is gone',
        async () => `docker stop ${(await containersOf('petstore'))[0] ?? ''}`,
        'docker compose up --detach --wait --no-deps --no-recreate petstore',
      ],
      [
        'PetstoreDown',
        'all replicas are gone',
        () => 'docker compose stop petstore',
        'docker compose up --detach --wait --no-deps --no-recreate petstore',
      ],
      [
        'PetstoreNotReady',
        'PostgreSQL does not run',
        () => 'docker compose stop postgres',
        'docker compose start postgres',
      ],
    ])('fires %s when %s, and no longer after the remedy', async (alert, _, cause, remedy) => {
      await stack.run(await cause());
      await expect.poll(firingAlerts).toContain(alert);
      await stack.run(remedy);
      await expect.poll(firingAlerts, { timeout: 200_000 }).not.toContain(alert);
    });

    test('fires PetstoreMessagesParked until the messages are retried', async () => {
      await send('POST', '/v1/messages', { message: 'hello' });
      await sql('UPDATE message SET parked_at = now()');
      await expect.poll(firingAlerts).toContain('PetstoreMessagesParked');
      await stack.run(
        'docker compose run --rm --no-deps -T petstore node dist/src/cli.js messages retry --all',
      );
      await expect.poll(firingAlerts).not.toContain('PetstoreMessagesParked');
    });

    test('accepts the rules, which fire as promtool expects', async () => {
      await stack.run(
        'docker compose run --rm --no-deps -T --volume "$PWD/docker/observability:/rules:ro" --entrypoint promtool prometheus test rules /rules/alerts.test.yaml',
      );
    });
  });

  test('`down` keeps the data, and leaves no anonymous volume', async () => {
    await stack.run('docker compose --profile observability down');
    const added = (await listVolumes()).split('\n').filter((name) => !volumesBefore.includes(name));
    expect(added.filter((name) => !/_(?:secrets|postgres|prometheus|grafana)$/.test(name))).toEqual([]);
    await stack.run(START);
    expect((await send('GET', '/v1/pets')).text).toContain('"Kitty"');
  });
});
