import { once } from 'node:events';
import { connect } from 'node:net';

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
  Param,
  Post,
  ServiceUnavailableException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { ApiCookieAuth, ApiExcludeController, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { Public } from '#src/auth/callers/caller.decorator';
import { ApiKeyVerifier } from '#src/auth/keys/api-key-verifier';
import { withServices } from '#src/commands/with-services';
import { readConfig } from '#src/config/config';
import { createApp } from '#src/create-app';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';
import { program } from '#src/program';

import { createDatabase, type TestDatabase } from '../support/database.ts';
import { FEATURES, type Modules, rootOf } from '../support/root.ts';
import { useService } from '../support/service.ts';

@Module({})
class FeatureModule {}

/** The features, and another module. */
const withModule = (metadata: ModuleMetadata): Modules => [
  ...FEATURES,
  { module: FeatureModule, ...metadata },
];

/** The response of Terminus when a check fails. */
const HEALTH = {
  status: 'error',
  info: { disk: { status: 'up' } },
  error: { calendar: { status: 'down', message: 'timeout' } },
  details: { disk: { status: 'up' }, calendar: { status: 'down', message: 'timeout' } },
};

/** Calls of servers of the team that fail. */
const CALLS = {
  socket: () => once(connect(1, '127.0.0.1'), 'connect'),
  database: () => new pg.Pool({ host: '127.0.0.1', port: 1 }).query('SELECT 1'),
  certificate: () =>
    Promise.reject(Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })),
};

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

  @Get('calls/:server')
  async call(@Param('server') server: keyof typeof CALLS): Promise<void> {
    await CALLS[server]();
  }
}

@ApiExcludeController()
@Controller('v1')
class WalksController {
  @Get('walks')
  @UseGuards(ThrottlerGuard)
  listWalks(): void {
    // Answers nothing.
  }

  @Get('pets/first')
  getFirst(): string {
    return 'first';
  }
}

/** Has sessions of its own. */
@Public()
@ApiCookieAuth()
@Controller('admin')
class AdminController {
  @Get()
  getAdmin(): void {
    // Answers nothing.
  }
}

describe('in an application of a team', () => {
  const modules = withModule({
    imports: [CacheModule.register(), ThrottlerModule.forRoot([{ limit: 1, ttl: 60_000 }])],
    controllers: [VisitsController, WalksController, AdminController],
    providers: [
      { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
      { provide: APP_INTERCEPTOR, useClass: CacheInterceptor },
      { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true }) },
    ],
  });
  const service = useService({ RATE_LIMIT_PER_MINUTE: '1000' }, modules);

  test('a global serializer, cache and pipe leave objects and lists of the service as they are', async () => {
    const pet = { name: 'Kitty', categoryId: 9223372036854775807n };
    const { body } = await service.client.post('/v1/pets', pet);
    expect(body).toEqual({ id: 1n, ...pet });
    for (let i = 0; i < 2; i++) {
      expect((await service.client.get('/v1/pets')).body).toEqual([body]);
      expect((await service.client.get('/v1/pets/1')).body).toEqual(body);
    }
  });

  test('an HttpException keeps its status, the code and the message of an object response, and other shapes', async () => {
    const { client } = service;
    const full = { code: 'full', message: 'The house is full.', status: 409n };
    expect(await client.get('/visits')).toMatchObject({ status: 409, body: full });
    expect((await client.post('/visits', {})).body).toMatchObject({ code: 'conflict', message: 'Full' });
    // The tests' client expects an Error body.
    const headers = { authorization: `Bearer ${client.key ?? ''}` };
    const response = await fetch(`${client.url}/visits/health`, { headers });
    expect([response.status, await response.json()]).toEqual([503, HEALTH]);
  });

  test.each(Object.keys(CALLS))('a failing %s of the team is an error, and no 503', async (server) => {
    const answer = await service.client.get(`/visits/calls/${server}`);
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  });

  test('a fixed path is found beside one with a parameter', async () => {
    const headers = { authorization: `Bearer ${service.client.key ?? ''}` };
    expect(await (await fetch(`${service.url}/v1/pets/first`, { headers })).text()).toBe('first');
  });

  test('a ThrottlerGuard has the limit of the ThrottlerModule, and the service its own', async () => {
    const { client } = service;
    expect((await client.get('/v1/walks')).status).toBe(200);
    expect(await client.get('/v1/walks')).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    for (let i = 0; i < 2; i++) expect((await client.get('/v1/pets')).status).toBe(200);
  });

  test('an operation with another credential than a key has it in the document', async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, { get: object }> };
    expect(paths['/admin']?.get).toMatchObject({ security: [{ cookie: [] }] });
    expect(JSON.stringify(paths['/admin'])).not.toContain('Bearer');
  });

  test("a document of Nest's own can be served in JSON", () => {
    const document = SwaggerModule.createDocument(service.app, new DocumentBuilder().build());
    expect(() => JSON.stringify(document)).not.toThrow();
  });
});

/** The database of the applications below, of which at most one has it open. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const rootWith = (modules: Modules, name = 'petstore') =>
  rootOf(modules, { name, config: readConfig({ LOG_LEVEL: 'silent', ...database.environment }) });

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

test.each<[string, Modules, string]>([
  ['a path hides another one', withHandler('v1/pets', ':name', 'list'), '/v1/pets/:name'],
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
  ['a feature is imported twice', [...FEATURES, PetsModule.register({})], '/v1/pets'],
])('the start stops if %s', async (_why, modules, message) => {
  const start = async () => {
    const app = await createApp(rootWith(modules), { logger: false });
    await app.init().finally(() => app.close());
  };
  await expect(start()).rejects.toThrow(message);
});

test('the start stops after setGlobalPrefix', async () => {
  const app = await createApp(rootWith(FEATURES), { logger: false });
  app.setGlobalPrefix('api');
  await expect(app.init()).rejects.toThrow('Let a reverse proxy remove the prefix, and set PUBLIC_URL.');
  await app.close();
});

test('a command starts no jobs of modules', async () => {
  const started: string[] = [];
  @Injectable()
  class Job implements OnApplicationBootstrap {
    onApplicationBootstrap(): void {
      started.push('job');
    }
  }
  await withServices(rootWith(withModule({ providers: [Job] })), async (services) => {
    await expect(Promise.resolve(services.get(Job))).resolves.toBeInstanceOf(Job);
  });
  expect(started).toEqual([]);
});

test('an application that Nest alone creates does not start, because it would check no keys', async () => {
  const app = await NestFactory.create(rootWith(FEATURES), { logger: false });
  onTestFinished(() => app.close());
  await expect(app.listen(0, '127.0.0.1')).rejects.toThrow('Create the application with createApp');
});

test('a standalone application starts, and errors have its name, whichever root module was loaded last', async () => {
  const root = rootWith(FEATURES, 'clinic');
  rootWith(FEATURES, 'shelter');
  const app = await NestFactory.createApplicationContext(root, { logger: false });
  onTestFinished(() => app.close());
  expect(app.get(PetsService)).toBeDefined();
  expect(program.name).toBe('clinic');
});

test('the option httpsOptions, which the service would ignore, stops the start', async () => {
  const options = { logger: false, httpsOptions: {} } as const;
  await expect(createApp(rootWith(FEATURES), options)).rejects.toThrow('no TLS of its own');
});

// A start that Nest itself stops leaves the database open, so that no further one can follow.
test.each<[string, Modules, string]>([
  [
    'keys have two verifiers',
    [...FEATURES, AuthModule.register({ verifier: ApiKeyVerifier })],
    'Two modules verify keys. Import AuthModule once, in the root module.',
  ],
])('the start stops if %s', async (_why, modules, message) => {
  await expect(createApp(rootWith(modules), { logger: false })).rejects.toThrow(message);
});
