// node:http and pg by hand, without a framework.
import { createServer, type IncomingMessage } from 'node:http';

import { accountOf, createPet, findPet, listPets, queueMessage, toListQuery, toNewPet } from './database.ts';

type Answer = [status: number, body: unknown];

const refusal = (status: number, code: string): Answer => [status, { code, message: code, status }];

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const account = accountOf(request.headers.authorization);
  if (account === undefined) return refusal(401, 'unauthorized');
  const [path = '', search] = (request.url ?? '').split('?');
  if (request.method === 'GET' && path === '/v1/pets') {
    const parameters = new URLSearchParams(search);
    const [limit, status, after] = ['limit', 'status', 'after'].map(
      (name) => parameters.get(name) ?? undefined,
    );
    const query = toListQuery(limit, status, after);
    return query ? [200, await listPets(query)] : refusal(400, 'invalid_request');
  }
  if (request.method === 'GET' && path.startsWith('/v1/pets/')) {
    const id = Number(path.slice('/v1/pets/'.length));
    const pet = Number.isSafeInteger(id) ? await findPet(id) : undefined;
    return pet ? [200, pet] : refusal(404, 'not_found');
  }
  if (request.method === 'POST' && path === '/v1/pets') {
    const newPet = toNewPet(await readJson(request));
    return newPet ? [201, await createPet(newPet)] : refusal(400, 'invalid_request');
  }
  if (request.method === 'POST' && path === '/v1/messages') {
    const body = (await readJson(request)) as { message?: unknown } | null | undefined;
    if (typeof body?.message !== 'string') return refusal(400, 'invalid_request');
    return [202, await queueMessage(account, body.message)];
  }
  return refusal(404, 'not_found');
}

createServer((request, response) => {
  void answer(request)
    .catch(() => refusal(500, 'internal_error'))
    .then(([status, body]) => {
      const text = JSON.stringify(body);
      const length = Buffer.byteLength(text);
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
      response.end(text);
    });
}).listen(Number(process.env['PORT']), '127.0.0.1');
