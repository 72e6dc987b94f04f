import { once } from 'node:events';

import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import {
  ClassSerializerInterceptor,
  ConflictException,
  Controller,
  Get,
  Injectable,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  Post,
  ServiceUnavailableException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE, ExternalContextCreator, NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import {
  ApiExcludeController,
  ApiOkResponse,
  ApiProperty,
  ApiSchema,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { expect, onTestFinished, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { Public } from '#src/auth/callers/caller.decorator';
import { ApiKeyVerifier } from '#src/auth/keys/api-key-verifier';
import { withServices } from '#src/commands/with-services';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { NotFound } from '#src/domain/errors';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';

import { createDatabaseForTest } from '../support/database.ts';
import { FEATURES, type Modules, rootOf } from '../support/root.ts';
import { startServiceForTest } from '../support/service.ts';

@Module({})
class FeatureModule {}

/** The features, and another module. */
const withModule = (metadata: ModuleMetadata): Modules => [
  ...FEATURES,
  { module: FeatureModule, ...metadata },
];

const PET = { name: 'Kitty', categoryId: 9223372036854775807n };

test.each([
  ['ClassSerializerInterceptor', { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor }, []],
  ['CacheInterceptor', { provide: APP_INTERCEPTOR, useClass: CacheInterceptor }, [CacheModule.register()]],
  ['ValidationPipe', { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true }) }, []],
])('a global %s leaves objects and lists of the service as they are', async (_name, provider, imports) => {
  const { client } = await startServiceForTest({}, withModule({ imports, providers: [provider] }));
  const { body } = await client.post('/v1/pets', PET);
  expect(body).toEqual({ id: 1n, ...PET });
  for (let i = 0; i < 2; i++) {
    expect((await client.get('/v1/pets')).body).toEqual([body]);
    expect((await client.get('/v1/pets/1')).body).toEqual(body);
  }
});

@ApiExcludeController()
@Controller('visits')
class VisitsController {
  @Get()
  list(): void {
    throw new ConflictException({ code: 'full', message: 'The house is full.' });
  }

  @Post()
  create(): void {
    throw new ConflictException({ error: 'Full' });
  }

  @Get('health')
  check(): void {
    throw new ServiceUnavailableException(HEALTH);
  }
}

/** The response of Terminus when a check fails. */
const HEALTH = {
  status: 'error',
  info: { disk: { status: 'up' } },
  error: { calendar: { status: 'down', message: 'timeout' } },
  details: { disk: { status: 'up' }, calendar: { status: 'down', message: 'timeout' } },
};

test('an HttpException keeps its status, the code and the message of an object response, and other shapes', async () => {
  const { client } = await startServiceForTest({}, withModule({ controllers: [VisitsController] }));
  const full = { code: 'full', message: 'The house is full.', status: 409n };
  expect(await client.get('/visits')).toMatchObject({ status: 409, body: full });
  expect((await client.post('/visits', {})).body).toMatchObject({ code: 'conflict', message: 'Full' });
  // The tests' client expects an Error body.
  const headers = { authorization: `Bearer ${client.key ?? ''}` };
  const response = await fetch(`${client.url}/visits/health`, { headers });
  expect([response.status, await response.json()]).toEqual([503, HEALTH]);
});

/** Returns the features, and a module with a controller that has one handler. */
function withHandler(prefix: string, path: string, name: string): Modules {
  @Controller(prefix)
  class OtherController {
    @Get(path)
    [name](): void {
      // Answers nothing.
    }
  }
  return withModule({ controllers: [OtherController] });
}

@ApiSchema({ name: 'Pet' })
class OtherPet {
  @ApiProperty()
  readonly race!: string;
}

@Controller('races')
class SameSchemaController {
  @Get()
  @ApiOkResponse({ type: OtherPet })
  list(): void {
    // Answers nothing.
  }
}

test.each<[string, Modules, string]>([
  ['two handlers have the same method and path', withHandler('v1/pets', '', 'list'), '/v1/pets'],
  ['a path hides another one', withHandler('v1/pets', ':name', 'list'), '/v1/pets/:name'],
  [
    'two classes have the same schema name',
    withModule({ controllers: [SameSchemaController] }),
    "Two classes have the schema Pet. Rename one of them, or add @ApiSchema({ name: '…' }) to it.",
  ],
  [
    'two operations have the same name',
    withHandler('cats', '', 'listPets'),
    'Two operations have the operationId listPets. Rename the handler of one of them, or add @ApiOperation',
  ],
  [
    'two operations have the same path in the document',
    withHandler('pets', '', 'list'),
    'The document cannot contain both /pets and /v1/pets, because its paths are relative to /v1.',
  ],
  [
    'a feature is imported twice',
    [...FEATURES, PetsModule.register({})],
    'Two modules provide PetsService. Import each feature once, in the root module',
  ],
  [
    'keys have two verifiers',
    [...FEATURES, AuthModule.register({ verifier: ApiKeyVerifier })],
    'Two modules provide KeysService. Import each feature once, in the root module',
  ],
])('the start stops if %s', async (_why, modules, message) => {
  await expect(startServiceForTest({}, modules)).rejects.toThrow(message);
});

/** Returns a root module with the features and another module, on a database of its own. */
async function rootForTest(metadata: ModuleMetadata) {
  const { environment } = await createDatabaseForTest();
  const config = readConfig({ LOG_LEVEL: 'silent', ...environment });
  return rootOf(withModule(metadata), { config });
}

test('the start stops after setGlobalPrefix', async () => {
  const app = await createApp(await rootForTest({}), { logger: false });
  app.setGlobalPrefix('api');
  await expect(app.init()).rejects.toThrow('Let a reverse proxy remove the prefix, and set PUBLIC_URL.');
  await app.close();
});

test("a team can serve a document of Nest's own, in JSON", async () => {
  const app = await createApp(await rootForTest({}), { logger: false });
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  expect(() => JSON.stringify(document)).not.toThrow();
  await app.close();
});

test('a fixed path is found beside one with a parameter', async () => {
  const { client, url } = await startServiceForTest({}, withHandler('v1/pets', 'first', 'list'));
  const headers = { authorization: `Bearer ${client.key ?? ''}` };
  expect((await fetch(`${url}/v1/pets/first`, { headers })).status).toBe(200);
});

test('a command starts no jobs of modules', async () => {
  const started: string[] = [];
  @Injectable()
  class Job implements OnApplicationBootstrap {
    onApplicationBootstrap(): void {
      started.push('job');
    }
  }
  await withServices(await rootForTest({ providers: [Job] }), async (services) => {
    await expect(Promise.resolve(services.get(Job))).resolves.toBeInstanceOf(Job);
  });
  expect(started).toEqual([]);
});

@WebSocketGateway({ path: '/room' })
class RoomGateway {
  @SubscribeMessage('arrive')
  arrive(@MessageBody() { name }: { name: string }) {
    return { event: 'waiting', data: name };
  }
}

test('a WebSocket gateway answers messages, and the guards of requests leave it alone', async () => {
  const app = await createApp(await rootForTest({ providers: [RoomGateway] }), { logger: false });
  onTestFinished(() => app.close());
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(0, '127.0.0.1');
  const socket = new WebSocket(`${(await app.getUrl()).replace('http', 'ws')}/room`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ event: 'arrive', data: { name: 'Tom' } }));
  const [message] = (await once(socket, 'message')) as [{ data: string }];
  socket.close();
  expect(JSON.parse(message.data)).toEqual({ event: 'waiting', data: 'Tom' });
});

@ApiExcludeController()
@Controller('v1/walks')
class WalksController {
  @Get()
  @UseGuards(ThrottlerGuard)
  listWalks(): void {
    // Answers nothing.
  }
}

@Module({
  imports: [
    ...FEATURES,
    ThrottlerModule.forRoot([{ limit: 1, ttl: 60_000 }]),
    { module: FeatureModule, controllers: [WalksController] },
  ],
})
class ThrottledModule {}

test.each([{}, { RATE_LIMIT_PER_MINUTE: '100' }])(
  "the ThrottlerGuard of a feature has the limit of the team's ThrottlerModule (%o)",
  async (environment) => {
    const { client } = await startServiceForTest(environment, [ThrottledModule]);
    expect((await client.get('/v1/walks')).status).toBe(200);
    expect(await client.get('/v1/walks')).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    for (let i = 0; i < 2; i++) expect((await client.get('/v1/pets')).status).toBe(200);
  },
);

class AnimalsResolver {
  @Public()
  animal(): void {
    throw new NotFound('animal', 7n);
  }

  secret(): string {
    return 'secret';
  }
}

test('a resolver of GraphQL without a request in its context runs only if it is public', async () => {
  const app = await createApp(await rootForTest({}), { logger: false });
  onTestFinished(() => app.close());
  await app.init();
  const resolver: Record<'animal' | 'secret', () => unknown> = new AnimalsResolver();
  // As @nestjs/graphql calls resolvers.
  const run = (name: 'animal' | 'secret') =>
    app
      .get(ExternalContextCreator)
      .create(
        resolver,
        resolver[name],
        name,
        ...NO_PARAMETERS,
        undefined,
        'graphql',
      )(undefined, {}, {});
  await expect(run('animal')).rejects.toMatchObject({ response: { code: 'not_found' } });
  await expect(run('secret')).rejects.toMatchObject({ response: { code: 'internal_error' } });
});

const NO_PARAMETERS = [undefined, undefined, undefined, undefined] as const;

async function newRoot() {
  const { environment } = await createDatabaseForTest();
  return rootOf(FEATURES, { config: readConfig({ LOG_LEVEL: 'silent', ...environment }) });
}

test('an application that Nest alone creates does not start, because it would check no keys', async () => {
  const app = await NestFactory.create(await newRoot(), { logger: false });
  onTestFinished(() => app.close());
  await expect(app.listen(0, '127.0.0.1')).rejects.toThrow('Create the application with createApp');
});

test('a standalone application starts', async () => {
  const app = await NestFactory.createApplicationContext(await newRoot(), { logger: false });
  onTestFinished(() => app.close());
  expect(app.get(PetsService)).toBeDefined();
});

test('the option httpsOptions, which the service would ignore, stops the start', async () => {
  const options = { logger: false, httpsOptions: {} } as const;
  await expect(createApp(await newRoot(), options)).rejects.toThrow('no TLS of its own');
});
