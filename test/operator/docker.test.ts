import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { readConfig } from '#src/config/config';
import { MetricsServer } from '#src/observability/metrics/metrics.server';

import { createCertificate } from '../support/certificate.ts';
import { runCommand } from '../support/command.ts';
import { Connection } from '../support/connection.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { createKey } from '../support/key.ts';
import { petstoreProcess } from '../support/petstore.ts';
import { freePort, postgresIsInstalled, startPostgres } from '../support/postgres.ts';
import { startServiceProcess } from '../support/process.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startServiceForTest } from '../support/service.ts';

interface Container {
  image: string;
  env?: { name: string; value: string }[];
}

/** A manifest of Kubernetes, as far as the tests read it. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    selector?: object;
    template?: {
      metadata: { labels: object };
      spec: { containers: [Container]; terminationGracePeriodSeconds?: number };
    };
    strategy?: { rollingUpdate: { maxSurge: number } };
    minReadySeconds?: number;
    maxReplicas?: number;
  };
}

interface Compose {
  services: Record<
    string,
    {
      image: string;
      command?: string[];
      environment?: Record<string, string>;
      volumes?: string[];
      ports?: string[];
      deploy?: object;
    }
  >;
  volumes: object;
}

/** The pause of a client between two requests. */
const PAUSE_MS = 20;

const read = (name: string) => readFileSync(join('docker', name), 'utf8');
const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS() as Manifest);
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const containers = manifests.flatMap(({ spec }) => spec.template?.spec.containers ?? []);

function manifest(kind: string): Manifest {
  const [found, ...others] = manifests.filter((each) => each.kind === kind);
  expect(others).toEqual([]);
  if (!found) throw new Error(`there is no ${kind}`);
  return found;
}

test('Kubernetes checks the health of a replica on the port of the metrics', () => {
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } });
  expect(manifest('Deployment').spec.template?.spec.containers[0]).toMatchObject({
    ports: [
      { name: 'http', containerPort: 3000 },
      { name: 'metrics', containerPort: 9464 },
    ],
    env: expect.arrayContaining([{ name: 'METRICS_PORT', value: '9464' }]) as unknown,
    startupProbe: probe('/health/live'),
    livenessProbe: probe('/health/live'),
    readinessProbe: probe('/health/ready'),
  });
});

describe.skipIf(spawnSync('haproxy', ['-v']).error)('HAProxy (skipped if it is not installed)', () => {
  /**
   * Starts HAProxy with the shipped configuration in front of replicas, whose health it checks on the metrics port.
   * Returns its address, and a function that returns whether it sends requests to each replica.
   *
   * @param bind the line of its listener
   */
  async function startProxy(
    replicas: readonly (readonly [url: string, metricsPort: number])[],
    bind = 'bind :3000 proto h1',
  ) {
    const [port, healthPort] = [await freePort(), await freePort()];
    const directory = await makeDirectoryForTest();
    const [file, admin] = [join(directory, 'haproxy.cfg'), join(directory, 'admin')];
    const changes = [
      // Each connection needs two file descriptors.
      ['maxconn 10000', `maxconn 1000\n  stats socket ${admin}`],
      ['bind :3000 proto h1', bind.replace(/:\d+/, `127.0.0.1:${port}`)],
      ['bind 127.0.0.1:8404', `bind 127.0.0.1:${healthPort}`],
      ['timeout http-request 10s', 'timeout http-request 500ms'],
      ['check port 9464', 'check'],
      ['resolvers containers init-addr none', ''],
      [
        'server-template replica 20 petstore:3000',
        replicas.map(([url, port], i) => `server r${i} ${new URL(url).host} port ${port}`).join('\n  '),
      ],
    ] as const;
    await writeFile(
      file,
      changes.reduce((text, [from, to]) => text.replace(from, to), read('haproxy.cfg')),
    );
    const haproxy = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
    onTestFinished(() => void haproxy.kill('SIGKILL'));
    const health = async () =>
      (await fetch(`http://127.0.0.1:${healthPort}/`).catch(() => undefined))?.status;
    await expect.poll(health).toBe(200);
    const usesReplicas = async () => {
      const table = await text(connect(admin).end('show stat\n'));
      const rows = table.split('\n').map((line) => line.split(','));
      const states = rows.flatMap(([, server = '', ...others]) => (/^r\d$/.test(server) ? [others[15]] : []));
      return states.map((state) => state?.startsWith('UP'));
    };
    return { url: `http://127.0.0.1:${port}`, usesReplicas, health };
  }

  test('replaces the forwarded headers of clients, compresses answers in JSON, and closes behind a body that it did not invite', async () => {
    const { app, url, client } = await startServiceForTest({ TRUST_PROXY: '1' });
    for (let i = 0; i < 40; i++) await client.post('/v1/pets', { name: 'Tom', categoryId: 1 });
    const { url: proxy } = await startProxy([[url, app.get(MetricsServer).port ?? 0]]);
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'javascript' };
    const headers = { ...forged, authorization: `Bearer ${client.key ?? ''}`, 'accept-encoding': 'gzip' };
    const answer = await fetch(`${proxy}/v1/pets?limit=39`, { headers });
    expect(answer.headers.get('link')).toBe(`<${proxy}/v1/pets?limit=39&after=39>; rel="next"`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toBe((await client.get('/v1/pets?limit=39')).text);
    const head = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';
    const refused = await sendRaw(proxy, head);
    expect([refused.status, refused.headers.get('connection')]).toEqual([401, 'close']);
  });

  test.runIf(postgresIsInstalled())(
    'no request fails while the replicas are replaced one by one, beside an import, and none that can be repeated when one is killed',
    async () => {
      const postgres = await startPostgres(['fsync = off']);
      onTestFinished(() => postgres.remove());
      const environment = { DATABASE_URL: postgres.url };
      const key = await createKey(environment);
      const places = await Promise.all(
        [0, 1].map(async () => ({ PORT: String(await freePort()), METRICS_PORT: String(await freePort()) })),
      );
      const start = (place: (typeof places)[number]) => startServiceProcess({ ...environment, ...place });
      const replicas = await Promise.all(places.map(start));
      const { url: proxy, usesReplicas } = await startProxy(
        replicas.map(({ url }, i) => [url, Number(places[i]?.METRICS_PORT)]),
      );
      const failures: unknown[] = [];
      let [isOver, hasIdempotencyKeys, count] = [false, false, 0];
      const request = async (i: number) => {
        const headers = {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(hasIdempotencyKeys && { 'idempotency-key': `request-${i}` }),
        };
        const created = { method: 'POST', headers, body: '{"name":"Tom","categoryId":1}' };
        const { status } = await fetch(`${proxy}/v1/pets`, i % 2 === 0 ? { headers } : created);
        if (status !== 200 && status !== 201) throw new Error(`status ${status}`);
      };
      const clients = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await request(count++).catch((error: unknown) => failures.push(error));
          await sleep(PAUSE_MS);
        }
      });
      const rows = '{"name":"Kitty","categoryId":2}\n'.repeat(5_000);
      const importing = petstoreProcess(environment, ['import', '-'], rows);
      for (const [i, place] of places.entries()) {
        expect((await replicas[i]?.stop())?.code).toBe(0);
        replicas[i] = await start(place);
        // An orchestrator also waits until the next one is ready, and the balancer uses it.
        await expect
          .poll(async () => (await fetch(`http://127.0.0.1:${place.METRICS_PORT}/health/ready`)).status)
          .toBe(200);
        await expect.poll(usesReplicas).toEqual([true, true]);
      }
      hasIdempotencyKeys = true;
      const before = count;
      // The requests that were in progress have no key.
      await expect.poll(() => count).toBeGreaterThan(before + 20);
      await replicas[0]?.stop('SIGKILL');
      await expect.poll(() => count).toBeGreaterThan(before + 100);
      isOver = true;
      await Promise.all(clients);
      expect((await importing).code).toBe(0);
      expect(count).toBeGreaterThan(100);
      expect(failures).toEqual([]);
    },
  );

  test('answers with an Error body when no replica does, and then fails its health check', async () => {
    const { app, url } = await startServiceForTest({});
    const { url: proxy, health } = await startProxy([[url, app.get(MetricsServer).port ?? 0]]);
    await app.close();
    const answer = await fetch(`${proxy}/v1/pets`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
    await expect.poll(health).toBe(503);
  });

  test('with TLS, negotiates HTTP/1.1 with a client that offers HTTP/2 first', async () => {
    const { app, url } = await startServiceForTest();
    const { certificate, key } = createCertificate(await makeDirectoryForTest());
    // HAProxy reads both from one file.
    appendFileSync(certificate, readFileSync(key));
    const page = readFileSync('docs/operations.md', 'utf8');
    const [, bind = '', path = ''] = /`(bind :443 ssl crt (\S+)[^`]*)`/.exec(page) ?? [];
    expect(read('haproxy.cfg')).toContain(`: ${bind}\n`);
    const { url: proxy } = await startProxy(
      [[url, app.get(MetricsServer).port ?? 0]],
      bind.replace(path, certificate),
    );
    const socket = tls.connect({
      port: Number(new URL(proxy).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(certificate),
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.end('GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('refuses HTTP/2, with which one connection could carry many requests, slow requests, and too many connections of an address', async () => {
    const { app, url } = await startServiceForTest();
    const { url: proxy } = await startProxy([[url, app.get(MetricsServer).port ?? 0]]);
    const preface = await Connection.to(proxy);
    preface.write('PRI * HTTP/2.0', '', 'SM', '', '');
    await expect.poll(preface.received).toMatch(/^HTTP\/1\.1 400 /);
    const slow = await Connection.to(proxy);
    slow.write('GET /v1/pets HTTP/1.1', 'Host: a', 'X-A: ');
    await expect.poll(slow.received).toMatch(/^HTTP\/1\.1 408 /);
    const port = Number(new URL(proxy).port);
    const sockets = Array.from({ length: 600 }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const closed = () => sockets.filter((socket) => socket.closed).length;
    await expect.poll(closed).toBeGreaterThanOrEqual(100);
    expect(closed()).toBeLessThan(110);
  });
});

test('the service, the disruption budget and the autoscaler of Kubernetes refer to its replicas', () => {
  const { apiVersion, kind, metadata, spec } = manifest('Deployment');
  const matchLabels = spec.template?.metadata.labels;
  expect(spec.selector).toEqual({ matchLabels });
  expect(manifest('Service').spec).toMatchObject({ selector: matchLabels, ports: [{ targetPort: 'http' }] });
  expect(manifest('PodDisruptionBudget').spec).toMatchObject({ minAvailable: 1, selector: { matchLabels } });
  expect(manifest('HorizontalPodAutoscaler').spec).toMatchObject({
    scaleTargetRef: { apiVersion, kind, name: metadata.name },
    minReplicas: 2,
  });
});

test('the containers of Kubernetes are not privileged, and have a read-only root and a limit of memory', () => {
  for (const { template } of [manifest('Job').spec, manifest('Deployment').spec]) {
    expect(template?.spec).toMatchObject({
      securityContext: { runAsNonRoot: true },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { limits: { memory: expect.any(String) as string } },
        },
      ],
    });
  }
});

test('the Job of Kubernetes runs the migration, as Compose does', () => {
  const command = ['node', 'dist/src/cli.js', 'migrate'];
  expect(manifest('Job').spec.template?.spec.containers).toMatchObject([{ command }]);
  expect(compose.services['migrate']).toMatchObject({ command });
});

test('the health check of the image succeeds while clients hold all connections, or if the port of the metrics is elsewhere', async () => {
  const { app, url } = await startServiceForTest({ MAX_CONNECTIONS: '1' });
  await Connection.to(url);
  const [PORT, METRICS_PORT] = [new URL(url).port, String(app.get(MetricsServer).port)];
  const [, command = ''] = /^HEALTHCHECK .*? CMD (\[.*?\])$/ms.exec(read('Dockerfile')) ?? [];
  const [, ...args] = JSON.parse(command.replaceAll('\\\n', '')) as string[];
  const check = async (environment: NodeJS.ProcessEnv) =>
    (await runCommand(process.execPath, args, environment)).code;
  expect(await check({ PORT })).toBe(1);
  expect(await check({ PORT, METRICS_PORT })).toBe(0);
  await app.close();
  expect(await check({ PORT, METRICS_PORT })).toBe(1);
  const { port } = new URL((await startServiceForTest()).url);
  // METRICS_HOST is not 127.0.0.1, or the metrics have a free port.
  expect(await check({ PORT: port, METRICS_PORT })).toBe(0);
  expect(await check({ PORT: port, METRICS_PORT: '0' })).toBe(0);
});

test('the first start of Compose generates passwords, which later starts keep', async () => {
  const SECRETS = await makeDirectoryForTest();
  const script = (compose.services['password']?.command ?? []).join('').replaceAll('$$', '$');
  const start = () => {
    // Only root can give the files to the users of the containers.
    const command = `chown() { :; }; ${script}`;
    expect(spawnSync('bash', ['-euc', command], { env: { ...process.env, SECRETS } }).status).toBe(0);
    return ['postgres', 'petstore_owner', 'petstore_a'].map((name) =>
      readFileSync(join(SECRETS, name), 'utf8'),
    );
  };
  const passwords = start();
  expect(new Set(passwords).size).toBe(3);
  for (const password of passwords) expect(password).toMatch(/^[\w-]{32}\n$/);
  expect(start()).toEqual(passwords);
});

test('the database of Compose has the roles of the runbook', () => {
  const statements = (text: string) => {
    const [, sql = ''] = /ON_ERROR_STOP=1 <<SQL\n(.*?)^SQL$/ms.exec(text) ?? [];
    return sql.replaceAll(/PASSWORD '.*?'/g, '');
  };
  const sql = statements(read('roles.sh'));
  expect(sql).toContain('CREATE ROLE');
  expect(sql).toBe(statements(readFileSync('docs/runbook.md', 'utf8')));
});

test('Compose publishes its ports only on this machine, drops privileges, keeps few logs, and limits memory', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(service, name).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'local' },
    });
  }
  for (const name of ['petstore', 'migrate', 'postgres', 'balancer']) {
    const limits = { memory: expect.any(String) as string };
    expect(compose.services[name]?.deploy).toMatchObject({ resources: { limits } });
  }
});

test('only Prometheus may read the metrics in Kubernetes', () => {
  expect(manifest('NetworkPolicy').spec).toMatchObject({
    podSelector: manifest('Deployment').spec.selector,
    ingress: [
      { ports: [{ port: 'http' }] },
      {
        from: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
          },
        ],
        ports: [{ port: 'metrics' }],
      },
    ],
  });
});

test('the files and volumes that Compose mounts exist', () => {
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
  expect(mounts.length).toBeGreaterThan(3);
  for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
    if (source.startsWith('.')) expect(existsSync(join('docker', source)), source).toBe(true);
    else expect(compose.volumes).toHaveProperty(source);
  }
});

test('the service accepts the variables of the containers', () => {
  const environments = [
    ...['migrate', 'petstore'].map((service) => compose.services[service]?.environment ?? {}),
    ...containers.map(({ env = [] }) => Object.fromEntries(env.map(({ name, value }) => [name, value]))),
  ];
  const page = readFileSync('docs/configuration.md', 'utf8');
  for (const environment of environments) {
    // The entrypoint reads this file.
    const own = Object.keys(environment).filter((name) => name !== 'PASSWORD_FILE');
    for (const name of own) expect(page).toContain(`| \`${name}\` |`);
    const DATABASE_URL = 'postgres://user:password@host/database';
    expect(readConfig({ DATABASE_URL, ...environment }).migrateOnStart).toBe(
      environment['MIGRATE_ON_START'] !== 'false',
    );
  }
});

test('all files name the same version of Node, and the same version of the service', () => {
  const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  expect(read('Dockerfile')).toContain(`node:${devDependencies['node'] ?? ''}-bookworm-slim`);
  expect(read('Dockerfile')).toContain(`ARG VERSION=${version}\n`);
  const images = containers.map(({ image }) => image);
  expect(new Set(images)).toEqual(new Set([`petstore:${version}`]));
});

test('every image of others is pinned by its digest', () => {
  const bases = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(.+)$/gm)].map(([, image]) => image);
  const images = Object.values(compose.services).map(({ image }) => image);
  const others = [...bases, ...images].filter((image) => image !== 'petstore');
  expect(others.length).toBeGreaterThan(5);
  for (const image of others) expect(image).toMatch(/:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('the image starts the service as `npm run start:prod` does', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const [, command = ''] = /^CMD (\[[^\]]+\])/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command.replaceAll('\\\n', ''))).toEqual(scripts['start:prod']?.split(' '));
  expect(compose.services['petstore']?.command).toEqual(JSON.parse(command));
});

test('the replicas, one more during an update, those that terminate, and a command fit into the connections of PostgreSQL', () => {
  const [AVAILABLE, COMMANDS] = [97, 1];
  const { maxReplicas = NaN } = manifest('HorizontalPodAutoscaler').spec;
  const { strategy, minReadySeconds = NaN, template } = manifest('Deployment').spec;
  const terminating = Math.ceil((template?.spec.terminationGracePeriodSeconds ?? NaN) / minReadySeconds);
  const size = containers
    .flatMap(({ env = [] }) => env)
    .find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value;
  const processes = maxReplicas + (strategy?.rollingUpdate.maxSurge ?? NaN) + terminating + COMMANDS;
  expect(processes * Number(size)).toBeLessThanOrEqual(AVAILABLE);
});

test('the dashboard and the alerts use metrics that the service has, and each alert has a row in the runbook and a test', async () => {
  const { app } = await startServiceForTest();
  const { panels } = JSON.parse(read('observability/dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const metrics = await (await fetch(`http://127.0.0.1:${app.get(MetricsServer).port ?? ''}/metrics`)).text();
  const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const { groups } = parse(read('observability/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const alerts = groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => ({ name: alert, exprs: [expr] })),
  );
  const charts = panels.map(({ title, targets }) => ({
    name: title,
    exprs: targets.map(({ expr }) => expr),
  }));
  expect(alerts.length).toBeGreaterThan(0);
  const [, runbook = ''] = readFileSync('docs/runbook.md', 'utf8').split('\n## Alerts\n');
  const explained = [...runbook.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(explained).toEqual(alerts.map(({ name }) => name));
  const fired = [...read('observability/alerts.test.yaml').matchAll(/^ +- alertname: (\w+)$/gm)];
  expect(new Set(fired.map(([, name]) => name))).toEqual(new Set(explained));
  for (const { name: user, exprs } of [...charts, ...alerts]) {
    const asked = exprs.flatMap((expr) => expr.match(/\b(?:(petstore|nodejs|process)_\w+|up(?={))/g) ?? []);
    expect(asked, user).not.toEqual([]);
    for (const name of asked)
      if (name !== 'up') expect(known).toContain(name.replace(/_(bucket|sum|count)$/, ''));
  }
});
