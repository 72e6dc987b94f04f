import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import {
  type INestApplication,
  Inject,
  Injectable,
  Module,
  type Type,
  UnauthorizedException,
} from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import {
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import type { Request, Response } from 'express';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { AccountsRepository } from '#src/auth/accounts/accounts.repository';
import { AuthModule } from '#src/auth/auth.module';
import { Authenticator } from '#src/auth/callers/authenticator';
import { type Caller, Public } from '#src/auth/callers/caller.decorator';
import { KeyVerifier } from '#src/auth/callers/key-verifier';
import { createKey } from '#src/auth/keys/api-key';
import { ApiKeyVerifier } from '#src/auth/keys/api-key-verifier';
import { KeysService } from '#src/auth/keys/keys.service';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { Forbidden, InvalidRequest, NotFound } from '#src/domain/errors';
import { requestIds } from '#src/observability/logs/log.module';
import { PetsModule } from '#src/pets/pets.module';

import { Client } from '../support/client.ts';
import { createDatabase, createDatabaseForTest } from '../support/database.ts';
import { counterOf } from '../support/metrics.ts';
import { rootOf } from '../support/root.ts';

/** Also accepts tokens such as `token:shop`, which name an account. */
@Injectable()
class KeysAndTokens extends ApiKeyVerifier {
  override readonly credential = 'credential';
  @Inject(AccountsRepository)
  private readonly accounts!: AccountsRepository;

  override async findCaller(credential: string): Promise<Caller | undefined> {
    const [, name] = /^token:(\w+)$/.exec(credential) ?? [];
    if (name === undefined) return super.findCaller(credential);
    return { account: await this.accounts.getOrCreate(name), keyId: 'token' };
  }
}

/** Accepts each text as the name of an account, and no keys. */
@Injectable()
class Tokens extends KeyVerifier {
  override readonly description = 'A token names an account.';
  @Inject(AccountsRepository)
  private readonly accounts!: AccountsRepository;

  override async findCaller(token: string): Promise<Caller> {
    return { account: await this.accounts.getOrCreate(token), keyId: 'token' };
  }
}

class AnimalsResolver {
  @Public()
  animal(): void {
    throw new NotFound('animal', 7n);
  }

  secret(): string {
    return 'secret';
  }

  forbidden(): void {
    throw new Forbidden('Only on Mondays.');
  }

  invalid(): void {
    throw new InvalidRequest('name is required.');
  }

  ofNest(): void {
    throw new UnauthorizedException('of Nest');
  }

  ofGraphql(): void {
    throw Object.assign(new Error('of GraphQL'), { extensions: { code: 'MINE' } });
  }

  requestId(): string | undefined {
    return requestIds.getStore();
  }

  faulty(): void {
    throw new Error('a bug');
  }
}

/** Sends the account of its client, or the error. */
@WebSocketGateway({ path: '/room' })
class RoomGateway implements OnGatewayConnection {
  constructor(@Inject(Authenticator) private readonly authenticator: Authenticator) {}

  async handleConnection(client: WebSocket, request: IncomingMessage): Promise<void> {
    const key = new URL(request.url ?? '', 'ws://a').searchParams.get('key') ?? undefined;
    const reply = this.authenticator.authenticate(request, key).then(
      ({ account }) => account.name,
      (error: unknown) => String(error),
    );
    client.send(await reply);
  }

  @SubscribeMessage('arrive')
  arrive(@MessageBody() { name }: { name: string }) {
    return { event: 'waiting', data: name };
  }
}

@Module({ providers: [RoomGateway] })
class RoomModule {}

const REQUESTS_PER_MINUTE = 20;

async function start(verifier: Type<KeyVerifier>, environment: NodeJS.ProcessEnv) {
  const rateLimit = { RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE) };
  const config = readConfig({ LOG_LEVEL: 'silent', SIGNUP: 'open', ...rateLimit, ...environment });
  const modules = [PetsModule, RoomModule, AuthModule.register({ verifier })];
  const app = await createApp(rootOf(modules, { config }), { logger: false });
  app.useWebSocketAdapter(new WsAdapter(app));
  // The path is a resolver, with the context of Apollo. The reply is what its driver gets.
  app.use('/graphql/:name', (request: Request, response: Response) => {
    runResolver(app, request.params['name'] as keyof AnimalsResolver, { req: request }).then(
      (data: unknown) => response.json({ data }),
      (error: unknown) => response.json({ error, message: (error as Error).message }),
    );
  });
  await app.listen(0, '127.0.0.1');
  return { app, client: await Client.of(await app.getUrl()) };
}

/** Runs a resolver as @nestjs/graphql does. */
function runResolver(app: INestApplication, name: keyof AnimalsResolver, context: object): Promise<unknown> {
  const resolver: Record<keyof AnimalsResolver, () => unknown> = new AnimalsResolver();
  const creator = app.get(ExternalContextCreator);
  const none = [undefined, undefined, undefined, undefined] as const;
  const run = creator.create(resolver, resolver[name], name, ...none, undefined, 'graphql');
  return Promise.resolve(run(undefined, {}, context, {}));
}

const ends: (() => Promise<void>)[] = [];
let service: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  const database = await createDatabase();
  service = await start(KeysAndTokens, database.environment);
  ends.push(
    () => service.app.close(),
    () => database.drop(),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** Returns the key of a new account. */
const newKey = async (name: string) => (await service.app.get(KeysService).createFor(name, 'test')).key;

describe('a verifier of a team that extends the one of the service', () => {
  test('accepts keys and its own tokens, which can create keys of their account', async () => {
    const tokens = service.client.withKey('token:shop');
    expect((await tokens.get('/v1/pets')).status).toBe(200);
    const created = await tokens.post('/keys', { label: 'till' });
    const { key } = created.body as { key: string };
    const keys = service.client.withKey(key);
    expect((await keys.get('/account')).body).toMatchObject({ name: 'shop' });
    expect((await tokens.get('/keys')).body).toMatchObject([
      { label: 'till', lastUsedAt: expect.any(String) as string },
    ]);
  });

  test('keeps sign-up, the console and the operator’s list of keys', async () => {
    expect((await service.client.post('/accounts', { name: 'Kitty' })).status).toBe(201);
    expect((await fetch(`${service.client.url}/console`)).status).toBe(200);
    expect(await service.app.get(KeysService).list()).not.toEqual([]);
  });

  test('names the credential in errors', async () => {
    const unknown = await service.client.withKey(createKey().key).get('/v1/pets');
    expect(unknown).toMatchObject({ status: 401, body: { message: 'The credential is not valid.' } });
  });
});

test('with a verifier that accepts no keys, there are none to create, list or revoke', async () => {
  const { environment } = await createDatabaseForTest();
  const { app, client } = await start(Tokens, environment);
  onTestFinished(() => app.close());
  const shop = client.withKey('shop');
  expect((await shop.get('/v1/pets')).status).toBe(200);
  const keys = app.get(KeysService);
  const message = 'Another system creates and revokes the keys of this service.';
  for (const attempt of [() => keys.createFor('shop', 'till'), () => keys.list(), () => keys.revoke(1n)]) {
    await expect(attempt()).rejects.toThrow(message);
  }
  for (const path of ['/keys', '/account', '/console']) expect((await shop.get(path)).status).toBe(404);
});

async function resolve(name: keyof AnimalsResolver, key?: string, requestId = 'id') {
  const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), 'x-request-id': requestId };
  const response = await fetch(`${service.client.url}/graphql/${name}`, { headers });
  return { ...((await response.json()) as object), headers: response.headers };
}

/** An error from which Nest's drivers of GraphQL make the code of a status. */
const ofStatus = (statusCode: number) => ({ error: { status: statusCode, response: { statusCode } } });

describe('a resolver of GraphQL', () => {
  test('requires a key unless it is public, and gets exceptions that its driver maps to codes', async () => {
    const key = await newKey('resolver');
    expect(await resolve('secret')).toMatchObject(ofStatus(401));
    expect(await resolve('secret', 'wrong')).toMatchObject(ofStatus(401));
    expect(await resolve('secret', key)).toMatchObject({ data: 'secret' });
    expect(await resolve('forbidden', key)).toMatchObject(ofStatus(403));
    expect(await resolve('invalid', key)).toMatchObject(ofStatus(400));
    expect(await resolve('ofNest', key)).toMatchObject({ ...ofStatus(401), message: 'of Nest' });
    expect(await resolve('animal')).toMatchObject(ofStatus(404));
    expect(await resolve('ofGraphql', key)).toMatchObject({ error: { extensions: { code: 'MINE' } } });
  });

  test('without a request in its context runs only if it is public', async () => {
    const run = (name: keyof AnimalsResolver) => runResolver(service.app, name, {});
    await expect(run('animal')).rejects.toMatchObject({ response: { code: 'not_found' } });
    await expect(run('secret')).rejects.toMatchObject({ response: { code: 'internal_error' } });
  });

  test('has the cache, the metrics and the rate limit of keys', async () => {
    const key = await newKey('counted');
    const verifications = async () => [
      await counterOf('petstore_key_verifications_total', { source: 'verifier' }),
      await counterOf('petstore_key_verifications_total', { source: 'cache' }),
    ];
    const [lookUps = 0, hits = 0] = await verifications();
    for (let n = 1; n <= REQUESTS_PER_MINUTE; n++) {
      const { headers } = await resolve('secret', key);
      expect(headers.get('ratelimit')).toContain(`"account";r=${REQUESTS_PER_MINUTE - n};`);
    }
    expect(await verifications()).toEqual([lookUps + 1, hits + REQUESTS_PER_MINUTE - 1]);
    expect(await resolve('secret', key)).toMatchObject(ofStatus(429));
    expect((await service.client.withKey(key).get('/v1/pets')).status).toBe(429);
  });

  test('logs with the id of the request', async () => {
    expect(await resolve('requestId', await newKey('logged'), 'my-id')).toMatchObject({ data: 'my-id' });
    expect(await resolve('faulty', await newKey('unlucky'))).toMatchObject(ofStatus(500));
  });
});

describe('a WebSocket gateway', () => {
  const open = (query: string) => new WebSocket(`${service.client.url.replace('http', 'ws')}/room${query}`);
  const nextMessage = async (socket: WebSocket) =>
    ((await once(socket, 'message')) as [{ data: string }])[0].data;

  test('authenticates its clients with the same keys, limits and metrics', async () => {
    const key = await newKey('guest');
    const enter = async (query: string) => {
      const socket = open(query);
      const message = await nextMessage(socket);
      socket.close();
      return message;
    };
    const lookUps = await counterOf('petstore_key_verifications_total', { source: 'verifier' });
    for (let n = 0; n < REQUESTS_PER_MINUTE; n++) expect(await enter(`?key=${key}`)).toBe('guest');
    expect(await counterOf('petstore_key_verifications_total', { source: 'verifier' })).toBe(lookUps + 1);
    expect(await enter(`?key=${key}`)).toContain('Too many requests');
  });

  test('answers messages, and the guards of requests leave it alone', async () => {
    const socket = open('');
    expect(await nextMessage(socket)).toContain('Send a credential');
    socket.send(JSON.stringify({ event: 'arrive', data: { name: 'Tom' } }));
    expect(JSON.parse(await nextMessage(socket))).toEqual({ event: 'waiting', data: 'Tom' });
    socket.close();
  });
});
