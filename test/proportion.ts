// Prints the size of the project, and the code that runs for a request: `npm run check:proportion`. Fails if a figure
// exceeds its bound. A change that needs more raises the bound, and its commit says why.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AppModule } from '#src/app.module';
import { KeysService } from '#src/auth/keys/keys.service';
import { createApp } from '#src/create-app';

const BOUNDS = {
  'lines of src': 9926,
  'files of src': 158,
  'files of src with 25 lines or fewer': 22,
  'lines of test': 23_000,
  'packages in package-lock.json': 716,
  'files of src that run for POST /v1/pets': 23,
  'calls of src for POST /v1/pets': 94,
  'files of src that run for GET /v1/pets': 26,
  'calls of src for GET /v1/pets': 116,
  'files of src that run for GET /v1/pets/{petId}': 21,
  'calls of src for GET /v1/pets/{petId}': 65,
};

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').length - 1;
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

const source = globSync('src/**/*.*').map(linesOf);
const tests = globSync('test/**/*.{ts,js}', { exclude: ['**/generated/**'] }).map(linesOf);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: object };
const [post, list, get] = await measureRequests();

const figures: Record<keyof typeof BOUNDS, number> = {
  'lines of src': sum(source),
  'files of src': source.length,
  'files of src with 25 lines or fewer': source.filter((lines) => lines <= 25).length,
  'lines of test': sum(tests),
  'packages in package-lock.json': Object.keys(packages).length,
  'files of src that run for POST /v1/pets': post.files,
  'calls of src for POST /v1/pets': post.calls,
  'files of src that run for GET /v1/pets': list.files,
  'calls of src for GET /v1/pets': list.calls,
  'files of src that run for GET /v1/pets/{petId}': get.files,
  'calls of src for GET /v1/pets/{petId}': get.calls,
};
const rows = Object.entries(BOUNDS).map(([name, bound]) => {
  const figure = figures[name as keyof typeof BOUNDS];
  return [name, { figure, bound, exceeded: figure > bound ? 'yes' : '' }] as const;
});
console.table(Object.fromEntries(rows));
process.exit(rows.some(([, { exceeded }]) => exceeded) ? 1 : 0);

interface Measured {
  files: number;
  calls: number;
}

/** Counts the code that one warm request runs, by V8's coverage, on the embedded database. */
async function measureRequests(): Promise<[Measured, Measured, Measured]> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-test-'));
  Object.assign(process.env, { DATA_DIR: directory, LOG_LEVEL: 'silent' });
  const app = await createApp(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const { key } = await app.get(KeysService).createFor('test', 'test');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const url = `${await app.getUrl()}/v1/pets`;
  const body = JSON.stringify({ name: 'Rex', categoryId: 7, status: 'available' });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const measureOnce = async (target: string, init: RequestInit): Promise<Measured> => {
    await session.post('Profiler.takePreciseCoverage');
    await (await fetch(target, { headers, ...init })).arrayBuffer();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const calls = result
      .filter(({ url: file }) => file.includes('/dist/src/'))
      .map(({ functions }) => sum(functions.map(({ ranges }) => ranges[0]?.count ?? 0)));
    return { files: calls.filter((count) => count > 0).length, calls: sum(calls) };
  };
  // The end of an earlier request, or a timer, can fall into a measurement. The smallest one has neither.
  const measure = async (target: string, init: RequestInit = {}): Promise<Measured> => {
    const all: Measured[] = [];
    for (let i = 0; i < 20; i++) all.push(await measureOnce(target, init));
    return all.reduce((least, each) => (each.calls < least.calls ? each : least));
  };
  const measured: [Measured, Measured, Measured] = [
    await measure(url, { method: 'POST', body }),
    await measure(`${url}?limit=5&status=available`),
    await measure(`${url}/1`),
  ];
  await app.close();
  rmSync(directory, { recursive: true });
  return measured;
}
