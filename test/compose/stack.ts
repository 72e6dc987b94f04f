import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { createCertificate } from '../support/certificate.ts';
import { freePort } from '../support/postgres.ts';

/** A stack of docker/compose.yaml, with TLS and Prometheus on free ports. */
export interface Stack {
  /** The address of the service, and that of Prometheus. */
  url: string;
  prometheusUrl: string;
  /** The certificate of the load balancer. */
  certificate: string;
  /** The configuration of the load balancer. */
  balancerFile: string;
  /** Runs commands of a shell, such as those of the documentation, on the stack. Fails if they fail. */
  run: (commands: string) => Promise<{ stdout: string; stderr: string }>;
  /** Removes the stack, its volumes and the files of this test. */
  remove: () => Promise<void>;
}

/** Whether a Docker daemon answers, and Compose is installed. */
export function composeIsAvailable(): boolean {
  return ['info', 'compose version'].every((command) => spawnSync('docker', command.split(' ')).status === 0);
}

/**
 * Prepares a stack, and starts nothing. The files in COMPOSE_FILE, which is Compose's own variable, are added to those of
 * the stack: they can name other images.
 *
 * @param bind the line for TLS in the configuration of HAProxy
 */
export async function prepareStack(bind: string): Promise<Stack> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-compose-'));
  const file = (name: string) => join(directory, name);
  // The users of the containers read these files.
  chmodSync(directory, 0o755);
  const { certificate, key } = createCertificate(directory);
  writeFileSync(file('petstore.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  const balancer = readFileSync('docker/haproxy.cfg', 'utf8')
    .replace('bind :3000 proto h1', bind)
    // Some machines do not allow as many file descriptors as the shipped number needs.
    .replace('maxconn 10000', 'maxconn 2000');
  writeFileSync(file('haproxy.cfg'), balancer);
  // The alerts fire without their delay.
  const alerts = readFileSync('docker/observability/alerts.yaml', 'utf8').replaceAll(/for: \d+m/g, 'for: 0s');
  writeFileSync(file('alerts.yaml'), alerts);
  const [port, prometheusPort] = [await freePort(), await freePort()];
  writeFileSync(
    file('compose.yaml'),
    `services:
  balancer:
    ports: !override ['127.0.0.1:${port}:443']
    volumes: ['${file('haproxy.cfg')}:/usr/local/etc/haproxy/haproxy.cfg:ro', '${file('petstore.pem')}:/etc/haproxy/petstore.pem:ro']
  prometheus:
    ports: ['127.0.0.1:${prometheusPort}:9090']
    volumes: ['${file('alerts.yaml')}:/etc/prometheus/alerts.yaml:ro']
`,
  );
  const added = process.env['COMPOSE_FILE']?.split(delimiter) ?? [];
  const env = {
    ...process.env,
    COMPOSE_FILE: ['docker/compose.yaml', file('compose.yaml'), ...added].join(delimiter),
    COMPOSE_PROJECT_NAME: `petstore-test-${process.pid}`,
  };
  const run = (commands: string) =>
    promisify(execFile)('bash', ['-euc', commands.replaceAll(' -f docker/compose.yaml', '')], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
  return {
    url: `https://localhost:${port}`,
    prometheusUrl: `http://127.0.0.1:${prometheusPort}`,
    certificate: readFileSync(certificate, 'utf8'),
    balancerFile: file('haproxy.cfg'),
    run,
    remove: async () => {
      await run('docker compose --profile observability down --volumes');
      rmSync(directory, { recursive: true });
    },
  };
}
