import {
  All,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Logger,
  Module,
  type NestInterceptor,
  Next,
  type OnModuleInit,
  Post,
  VersioningType,
} from '@nestjs/common';
import { APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { ApiOkResponse, ApiOperation, type OpenAPIObject } from '@nestjs/swagger';
import { map, type Observable } from 'rxjs';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createApp } from '#src/app.setup';
import type { Composition } from '#src/composition/composition';
import { AccountsService } from '#src/auth/accounts/accounts.service';
import { AuthModule } from '#src/auth/auth.module';
import type { Caller } from '#src/auth/caller.decorator';
import { KeyVerifier } from '#src/auth/keys/key-verifier';
import { CONFIG, readConfig } from '#src/config/config';
import { InvalidRequest } from '#src/domain/domain-error';
import { TextField } from '#src/http/validation/field.decorators';
import { ListField } from '#src/http/validation/list-field.decorator';
import { MessageDelivery } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { ListPetsQuery, NewPet, type Pet } from '#src/pets/pet.dto';
import { ApiErrors } from '#src/openapi/decorators/api-errors.decorator';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';
import { createTestApp } from '#src/testing/create-test-app';

import { Client } from '../support/client.ts';
import { createDatabase, onPostgres } from '../support/database.ts';
import { startServiceForTest } from '../support/service.ts';

@Injectable()
class PickyPetsService extends PetsService {
  override create(accountId: bigint, pet: NewPet): Promise<Pet> {
    if (pet.name === 'Cerberus') throw new InvalidRequest('Cerberus guards another place.');
    return super.create(accountId, pet);
  }
}

/** A class that injects the service of another feature. */
@Injectable()
class Shelter {
  constructor(readonly pets: PetsService) {}
}

@Module({ imports: [PetsModule], providers: [Shelter] })
class ShelterModule {}

const features = [AuthModule, PetsModule, MessagesModule, ShelterModule];

async function failToStart(composition: Composition): Promise<unknown> {
  const database = await createDatabase();
  try {
    return await createApp(readConfig({ LOG_LEVEL: 'silent', ...database.environment }), composition).then(
      async (app) => {
        await app.close();
        return undefined;
      },
      (error: unknown) => error,
    );
  } finally {
    // Nest may open an embedded database even after the failure, so that no other test can use its directory.
    if (onPostgres()) await database.drop();
  }
}

test('a class replaces a service, for its controller and for other features', async () => {
  const replace = [{ provide: PetsService, useClass: PickyPetsService }];
  const { app, client } = await startServiceForTest({}, { features, replace });
  expect(await client.post('/v1/pets', { name: 'Cerberus', categoryId: 1 })).toMatchObject({
    status: 400,
    body: { message: 'Cerberus guards another place.' },
  });
  expect((await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 })).status).toBe(201);
  expect(app.get(Shelter, { strict: false }).pets).toBe(app.get(PetsService));
});

test('an object or the result of a factory replaces a service', async () => {
  const pet = { id: 1n, name: 'Fixed', categoryId: 1n };
  const fixed = { get: () => Promise.resolve(pet) };
  const injected: unknown[] = [];
  const useFactory = (config: unknown) => {
    injected.push(config);
    return fixed;
  };
  for (const replacement of [
    { provide: PetsService, useValue: fixed },
    { provide: PetsService, inject: [CONFIG], useFactory },
  ]) {
    const { client } = await startServiceForTest({}, { features, replace: [replacement] });
    expect((await client.get('/v1/pets/5')).body).toEqual(pet);
  }
  expect(injected).toMatchObject([{ port: expect.any(Number) as number }]);
});

test('a replacement of a provider that no feature has prevents the start', async () => {
  const replace = [{ provide: Shelter, useClass: Shelter }];
  expect(await failToStart({ features, replace })).toMatchObject({
    message: expect.stringContaining('composition.replace names Shelter') as string,
  });
});

class NoDelivery extends MessageDelivery {
  override deliver(): Promise<void> {
    return Promise.resolve();
  }
}

// Only PGlite refuses a second application in its directory.
test.skipIf(onPostgres())('a composition that prevents the start leaves the database closed', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const config = readConfig({ LOG_LEVEL: 'silent', ...database.environment });
  const replace = [{ provide: Shelter, useClass: Shelter }];
  await expect(createApp(config, { features, replace })).rejects.toThrow('composition.replace names Shelter');
  const app = await createApp(config);
  await app.close();
});

test('two instances of a feature prevent the start', async () => {
  const registered = MessagesModule.register({ deliver: NoDelivery });
  expect(await failToStart({ features: [AuthModule, MessagesModule, registered] })).toMatchObject({
    message: expect.stringContaining('2 instances of MessagesModule') as string,
  });
});

test('two instances of the authentication prevent the start', async () => {
  const registered = AuthModule.register({ verifier: ScopedKeys });
  expect(await failToStart({ features: [AuthModule, registered] })).toMatchObject({
    message: expect.stringContaining('2 instances of AuthModule') as string,
  });
});

test('a composition without authentication does not start', async () => {
  expect(await failToStart({ features: [PetsModule] })).toMatchObject({
    message: expect.stringContaining('BearerGuard') as string,
  });
});

@Module({ imports: [AuthModule], exports: [AuthModule] })
class AccessModule {}

test('a module that re-exports AuthModule provides the authentication', async () => {
  const { client } = await startServiceForTest({}, { features: [AccessModule, PetsModule] });
  expect((await client.get('/v1/pets')).status).toBe(200);
  expect((await client.withKey(undefined).get('/v1/pets')).status).toBe(401);
});

test('a factory can return the options of a feature, and leave some undefined', async () => {
  const delivered: string[] = [];
  const deliver = class extends MessageDelivery {
    override deliver({ message }: { message: string }): Promise<void> {
      delivered.push(message);
      return Promise.resolve();
    }
  };
  const unset: object = { concurrency: undefined };
  const messages = MessagesModule.registerAsync({
    inject: [CONFIG],
    useFactory: () => ({ deliver, ...unset }),
  });
  const { client } = await startServiceForTest({}, { features: [AuthModule, messages] });
  expect((await client.post('/v1/messages', { message: 'Hello.' })).status).toBe(202);
  await expect.poll(() => delivered).toEqual(['Hello.']);
});

test('an invalid option of a feature prevents the start', async () => {
  const deliver = class extends MessageDelivery {
    override deliver = () => Promise.resolve();
  };
  const messages = MessagesModule.register({ deliver, concurrency: 0 });
  expect(await failToStart({ features: [AuthModule, messages] })).toMatchObject({
    message: 'The option concurrency of MessagesModule must be at least 1, not 0.',
  });
});

test('an application is configured before it is initialised', async () => {
  const composition: Composition = {
    configure: (app) => {
      app.use((_request: Request, response: Response, next: NextFunction) => {
        response.setHeader('X-Shop', 'Ulm');
        next();
      });
      app.enableShutdownHooks([]);
    },
  };
  const { client } = await startServiceForTest({}, composition);
  expect((await client.get('/v1/pets')).headers.get('x-shop')).toBe('Ulm');
});

test('a module can log and add routes while it starts, and the application can have a logger of the team', async () => {
  @Module({})
  class StatusModule implements OnModuleInit {
    private readonly logger = new Logger('Status');
    constructor(private readonly adapterHost: HttpAdapterHost) {}

    onModuleInit(): void {
      this.logger.warn('starts');
      const { httpAdapter } = this.adapterHost;
      httpAdapter.get('/status', (_request: Request, response: Response) => {
        this.logger.log('is requested');
        response.json({ isOpen: true });
      });
    }
  }
  const lines: unknown[] = [];
  const log = (message: unknown, context?: unknown) => context === 'Status' && lines.push(message);
  const { client } = await startServiceForTest(
    {},
    {
      features: [...features, StatusModule],
      configure: (app) => {
        app.useLogger({ log, warn: log, error: log });
      },
    },
  );
  expect((await client.get('/status')).body).toEqual({ isOpen: true });
  expect((await client.get('/nowhere')).body).toMatchObject({ message: 'This path does not exist.' });
  expect(lines).toEqual(['starts', 'is requested']);
});

test('the versions of a team are those of its own operations', async () => {
  @Controller('offers')
  class OffersController {
    @Get()
    @ApiOkResponse({ type: [String] })
    @ApiErrors()
    listOffers(): string[] {
      return ['Kitty'];
    }
  }
  @Module({ controllers: [OffersController] })
  class OffersModule {}
  const composition: Composition = {
    features: [AuthModule, PetsModule, OffersModule],
    configure: (app) => {
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    },
  };
  const { client } = await startServiceForTest({}, composition);
  for (const path of ['/v1/offers', '/v1/pets', '/account', '/health/live']) {
    expect((await client.get(path)).status, path).toBe(200);
  }
  const { paths } = JSON.parse((await client.get('/openapi.json')).text) as OpenAPIObject;
  expect(Object.keys(paths)).toEqual(['/pets', '/pets/{petId}', '/offers']);
});

test('a request that no handler of its path takes gets 404, and another method gets 405', async () => {
  @Controller({ path: 'offers', version: '2' })
  class OffersController {
    @Get()
    listOffers(): string[] {
      return ['Kitty'];
    }
  }
  @Controller({ path: 'staff', host: 'intern.example' })
  class StaffController {
    @Get()
    listStaff(): string[] {
      return ['Ann'];
    }
  }
  @Controller('passed')
  class PassingController {
    @Get()
    passOn(@Next() next: NextFunction): void {
      next();
    }
  }
  @Module({ controllers: [OffersController, StaffController, PassingController] })
  class OffersModule {}
  const { client } = await startServiceForTest(
    {},
    {
      features: [...features, OffersModule],
      configure: (app) => {
        app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version', defaultVersion: '1' });
      },
    },
  );
  const unknown = {
    status: 404,
    body: { code: 'not_found', message: 'This path does not exist.', status: 404n },
  };
  expect((await client.get('/offers', { headers: { 'x-version': '2' } })).body).toEqual(['Kitty']);
  expect(await client.get('/offers', { headers: { 'x-version': '3' } })).toMatchObject(unknown);
  expect(await client.get('/staff', { headers: { 'x-version': '1' } })).toMatchObject(unknown);
  expect(await client.get('/passed', { headers: { 'x-version': '1' } })).toMatchObject(unknown);
  const refused = await client.send('DELETE', '/offers', { headers: { 'x-version': '2' } });
  expect(refused).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(refused.headers.get('allow')).toBe('GET, HEAD');
});

test('a DTO class that extends one of the service replaces it', async () => {
  class NewNicknamedPet extends NewPet {
    @ListField(String, { maxItems: 2 })
    readonly nicknames!: string[];
  }
  const { client } = await startServiceForTest(
    {},
    { dtos: [{ provide: NewPet, useClass: NewNicknamedPet }] },
  );
  const pet = { name: 'Kitty', categoryId: 1 };
  expect(await client.post('/v1/pets', pet)).toMatchObject({
    status: 400,
    body: { message: 'nicknames is required.' },
  });
  expect((await client.post('/v1/pets', { ...pet, nicknames: ['Rexy'] })).status).toBe(201);
});

test('a replacement of a DTO class that the document would not describe prevents the start', async () => {
  class QueryWithTag extends ListPetsQuery {
    @TextField({ maxLength: 10, example: 'calm', required: false })
    readonly tag?: string;
  }
  expect(await failToStart({ dtos: [{ provide: ListPetsQuery, useClass: QueryWithTag }] })).toMatchObject({
    message:
      'composition.dtos replaces ListPetsQuery, but no operation has a body or a response of this class.',
  });
});

test('an error code of the service cannot be declared again', async () => {
  const errorCodes = { conflict: 400 } as unknown as NonNullable<Composition['errorCodes']>;
  expect(await failToStart({ errorCodes })).toMatchObject({
    message: 'composition.errorCodes names conflict, a code of the service.',
  });
});

@Injectable()
class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

test('a global interceptor of a feature can put a list into another object', async () => {
  @Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }] })
  class EnvelopeModule {}
  const features = [AuthModule, PetsModule, EnvelopeModule];
  const { app, client, url } = await startServiceForTest({}, { features });
  const pets = ['Kitty', 'Rex'].map((name) => ({ name, categoryId: 2n }));
  await app.get(PetsService).createAll([pets]);
  // The client of the tests rejects the response, which the document does not describe.
  const headers = { authorization: `Bearer ${client.key ?? ''}` };
  const response = await fetch(`${url}/v1/pets?limit=1`, { headers });
  expect(await response.text()).toBe('{"data":[{"id":1,"name":"Kitty","categoryId":2}]}');
  expect(response.headers.get('link')).toContain('limit=1&after=1>; rel="next"');
});

@Injectable()
class ScopedKeys extends KeyVerifier<Caller & { readonly name: string }> {
  override readonly description = 'A key is the list of its scopes.';

  constructor(@Inject(AccountsService) private readonly accounts: AccountsService) {
    super();
  }

  override async findCaller(key: string) {
    const account = await this.accounts.getOrCreate('test');
    return { account, keyId: key, name: key, scopes: key.split(',') };
  }
}

describe('scopes', () => {
  const composition: Composition = {
    features: [AuthModule.register({ verifier: ScopedKeys }), PetsModule],
    scopes: { createPet: 'pets:write', getPet: 'pets:read' },
  };

  /** Returns a client of a service that issues no keys. */
  async function start(): Promise<Client> {
    const app = await createTestApp(composition);
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    return Client.of(await app.getUrl(), 'none');
  }

  test('are required by the operations that they name', async () => {
    const client = await start();
    const [reader, writer] = [client.withKey('pets:read'), client.withKey('orders:read,pets:write')];
    const pet = { name: 'Kitty', categoryId: 1 };
    expect((await writer.post('/v1/pets', pet)).status).toBe(201);
    expect((await reader.get('/v1/pets/1')).status).toBe(200);
    expect((await client.get('/v1/pets')).status).toBe(200);
    const refused = await reader.post('/v1/pets', pet);
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: 'The key lacks the scope pets:write.' },
    });
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
    );
  });

  test('are in the document', async () => {
    const client = await start();
    const { paths } = JSON.parse((await client.get('/openapi.json')).text) as OpenAPIObject;
    expect(paths['/pets']?.post).toMatchObject({
      security: [{ apiKey: ['pets:write'] }],
      responses: { 403: expect.anything() as object },
    });
    expect(paths['/pets']?.get?.responses).not.toHaveProperty('403');
  });

  @Controller('v1/reviews')
  class ReviewsController {
    @Post()
    @ApiOperation({ operationId: 'createReview' })
    create(): void {
      // The guard refuses the request first.
    }

    @Post(['drafts', 'imports'])
    createDraft(): void {
      // The guard refuses the request first.
    }

    @All('any')
    any(): void {
      // The guard refuses the request first.
    }

    @Get('pets/:petId')
    getPet(): void {
      // The guard refuses the request first.
    }
  }

  @Module({ controllers: [ReviewsController] })
  class ReviewsModule {}

  test.each([
    ['unknown', 'renamePet'],
    ['renamed', 'createReview'],
    ['unnamed', 'create'],
    ['repeated', 'createDraft[0]'],
    ['general', 'any_get'],
    ['ambiguous', 'getPet'],
  ])('of an operation that is %s prevent the start', async (_what, operationId) => {
    const scopes = { [operationId]: 'reviews:write' };
    expect(await failToStart({ features: [AuthModule, PetsModule, ReviewsModule], scopes })).toMatchObject({
      message: expect.stringContaining(`composition.scopes names ${operationId}, but`) as string,
    });
  });
});
