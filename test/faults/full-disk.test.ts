import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, inject, onTestFinished, test } from 'vitest';

import { Client } from '../support/client.ts';
import { createDatabaseForTest } from '../support/database.ts';
import { failToStart, startServiceProcess } from '../support/process.ts';
import { getStatus } from './support/health.ts';
import { Ledger, type StoredMessage } from './support/ledger.ts';
import { readBack } from './support/store.ts';

/** PostgreSQL extends its log of changes by this number of bytes. */
const LOG_SEGMENT_BYTES = 2 ** 24;

/** Mounts a disk until the end of the running test. Skips the test if the machine does not allow that. */
function mountDisk(skip: (reason: string) => never): string {
  const disk = mkdtempSync(join(inject('runDirectory'), 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    skip(`no disk can be mounted: ${String(error)}`);
  }
  onTestFinished(() => void execFileSync('umount', [disk]));
  return disk;
}

/** Fills a disk, except for the given number of bytes. Returns a function that frees the space. */
function fill(disk: string, exceptBytes = 0): () => void {
  const { bavail, bsize } = statfsSync(disk);
  const file = join(disk, 'other-file');
  writeFileSync(file, Buffer.alloc(bavail * bsize - exceptBytes));
  return () => {
    rmSync(file);
  };
}

/** Starts the service on PGlite in a directory. `send` sends it a large message, and returns the status. */
async function start(DATA_DIR: string) {
  const { environment } = await createDatabaseForTest();
  cpSync(environment.DATA_DIR ?? '', DATA_DIR, { recursive: true });
  const service = await startServiceProcess({ DATA_DIR });
  await expect.poll(service.stdout).toContain('ps_');
  const client = await Client.of(service.url, /\bps_\w+/.exec(service.stdout())?.[0]);
  const ledger = new Ledger();
  const send = async () => {
    const message = randomBytes(100_000).toString('base64');
    ledger.sent.add(message);
    const { status, body } = await client.post('/v1/messages', { message });
    if (status === 202) ledger.addMessage({ id: (body as StoredMessage).id, message });
    return status;
  };
  return { service, ledger, send };
}

test('on PGlite, a disk without space for rows: 503 meanwhile, and nothing is lost', async ({ skip }) => {
  const disk = mountDisk(skip);
  const { service, ledger, send } = await start(disk);
  expect(await send()).toBe(202);
  const free = fill(disk);
  await expect.poll(send).toBe(503);
  expect(await getStatus(service.url, 'live')).toBe(200);
  free();
  await expect.poll(send).toBe(202);
  expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  expect(ledger.judge(await readBack({ DATA_DIR: disk }))).toEqual({ lost: 0, wrong: 0, examples: [] });
});

test('on PGlite, a disk without space for the log: one line, exit code 1, and nothing is lost', async ({
  skip,
}) => {
  const disk = mountDisk(skip);
  const { service, ledger, send } = await start(disk);
  const free = fill(disk, LOG_SEGMENT_BYTES - 1);
  const untilFailure = async () => {
    while ((await send()) !== 500);
  };
  await expect(untilFailure()).rejects.toThrow('fetch failed');
  const oneLine = expect.stringMatching(/^petstore: [^\n]*No space left on device\n$/) as string;
  expect(await service.exit).toMatchObject({ code: 1, stderr: oneLine });
  expect(await failToStart({ DATA_DIR: disk })).toMatchObject({ code: 1, stderr: oneLine });
  free();
  expect(ledger.judge(await readBack({ DATA_DIR: disk }))).toEqual({ lost: 0, wrong: 0, examples: [] });
  expect(ledger.acknowledged).toBeGreaterThan(10);
});
