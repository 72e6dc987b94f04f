import { deepStrictEqual } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

import { ANIMALS, SCENARIOS } from './scenarios.ts';
import type { Server } from './servers.ts';

interface Probe {
  path: string;
  body?: unknown;
  withoutKey?: boolean;
}

const NEW_PET = { name: 'Kitty Cat', categoryId: 2, status: 'available' };

/** Requests to which all servers respond with the same status and, on success, the same JSON. */
const PROBES: Probe[] = [
  { path: '/v1/pets' },
  ...[1, 20, 57, 100].flatMap((limit) =>
    ['', '&status=available', '&status=pending', '&status=sold'].map((filter) => ({
      path: `/v1/pets?limit=${limit}${filter}`,
    })),
  ),
  // An animal of each status, and one without a status.
  ...[1, 2, 3, 4, ANIMALS].map((id) => ({ path: `/v1/pets/${id}` })),
  { path: `/v1/pets`, body: NEW_PET },
  { path: '/v1/pets', body: { name: '', categoryId: 0 } },
  { path: '/v1/messages', body: { message: 'Hello' } },
  // Requests that every server must reject.
  ...['limit=0', 'limit=101', 'limit=x', 'status=gone'].map((query) => ({ path: `/v1/pets?${query}` })),
  { path: '/v1/pets/1000000000' },
  { path: '/v1/pets', body: { name: 'Nameless' } },
  { path: '/v1/pets', body: { ...NEW_PET, status: 'gone' } },
  { path: '/v1/messages', body: {} },
  { path: '/v1/pets', withoutKey: true },
  { path: '/v1/pets/1', withoutKey: true },
  { path: '/v1/pets', body: NEW_PET, withoutKey: true },
];

/**
 * Checks that the servers do the same work: that their responses equal those of the first server.
 *
 * @throws Error that names the server and the request
 */
export async function assertAgreement([first, ...others]: Server[]): Promise<void> {
  if (!first) return;
  for (const probe of PROBES) {
    const expected = await answerOf(first, probe);
    for (const server of others) {
      if (server.kind.scenarios && probe.path !== SCENARIOS[0]?.requests[0]?.path) continue;
      const actual = await answerOf(server, probe);
      if (!isDeepStrictEqual(actual, expected)) {
        throw new Error(
          `To ${JSON.stringify(probe)} ${server.kind.title} answers ${inspect(actual)}, and ${first.kind.title} ${inspect(expected)}`,
        );
      }
    }
  }
}

async function answerOf(server: Server, { path, body, withoutKey = false }: Probe) {
  const response = await fetch(server.url + path, {
    headers: { ...(!withoutKey && server.headers), 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0];
  const length = Number(response.headers.get('content-length'));
  deepStrictEqual({ type, length }, { type: 'application/json', length: Buffer.byteLength(text) });
  if (response.status >= 400) return { status: response.status };
  const json = JSON.parse(text) as Record<string, unknown>;
  // The ids and times of new rows differ between servers, so only their presence is compared.
  const own = body === undefined ? {} : { id: typeof json['id'], createdAt: typeof json['createdAt'] };
  return { status: response.status, json: { ...json, ...own } };
}
