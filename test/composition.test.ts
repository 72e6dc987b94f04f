import { Injectable, Module } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { expect, test } from 'vitest';

import { createApp } from '#src/app.setup';
import type { Composition } from '#src/app.module';
import { AuthModule } from '#src/auth/auth.module';
import { CONFIG, readConfig } from '#src/config/config';
import { InvalidRequest } from '#src/domain/domain-error';
import { MessageDelivery } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import type { NewPet, Pet } from '#src/pets/pet.dto';
import { PetsModule } from '#src/pets/pets.module';
import { PetsService } from '#src/pets/pets.service';

import { createDatabase } from './support/database.ts';
import { startServiceForTest } from './support/service.ts';

@Injectable()
class PickyPetsService extends PetsService {
  override create(accountId: bigint, pet: NewPet): Promise<Pet> {
    if (pet.name === 'Cerberus') throw new InvalidRequest('Cerberus guards another place.');
    return super.create(accountId, pet);
  }
}

/** Injects the service of another feature. */
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
    await database.drop();
  }
}

test('a class takes the place of a service, for its controller and for other features', async () => {
  const replace = [{ provide: PetsService, useClass: PickyPetsService }];
  const { app, client } = await startServiceForTest({}, { features, replace });
  expect(await client.post('/v1/pets', { name: 'Cerberus', categoryId: 1 })).toMatchObject({
    status: 400,
    body: { message: 'Cerberus guards another place.' },
  });
  expect((await client.post('/v1/pets', { name: 'Kitty', categoryId: 1 })).status).toBe(201);
  expect(app.get(Shelter, { strict: false }).pets).toBe(app.get(PetsService));
});

test('an object or what a factory returns takes the place of a service', async () => {
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

test('a replacement of what no feature provides stops the start', async () => {
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

test('two instances of a feature stop the start', async () => {
  const registered = MessagesModule.register({ deliver: NoDelivery });
  expect(await failToStart({ features: [AuthModule, MessagesModule, registered] })).toMatchObject({
    message: expect.stringContaining('2 instances of MessagesModule') as string,
  });
});

test('the options of a feature can come from a factory', async () => {
  const delivered: string[] = [];
  const deliver = class extends MessageDelivery {
    override deliver({ message }: { message: string }): Promise<void> {
      delivered.push(message);
      return Promise.resolve();
    }
  };
  const messages = MessagesModule.registerAsync({ inject: [CONFIG], useFactory: () => ({ deliver }) });
  const { client } = await startServiceForTest({}, { features: [AuthModule, messages] });
  expect((await client.post('/v1/messages', { message: 'Hello.' })).status).toBe(202);
  await expect.poll(() => delivered).toEqual(['Hello.']);
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
