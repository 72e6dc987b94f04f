import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';

import type { Composition } from '#src/composition/composition';
import { MessageDelivery, type QueuedMessage } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { MessagesService } from '#src/messages/messages.service';
import { PetsRepository } from '#src/pets/pets.repository';
import { PostgresPetsRepository } from '#src/pets/postgres-pets.repository';
import { createTestApp, createTestCore, createTestKey, type Customize } from '#src/testing/create-test-app';

import { Client } from '../support/client.ts';

const apps: NestExpressApplication[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function start(customize?: Customize, composition: Composition = {}): Promise<Client> {
  const app = await createTestApp(composition, customize);
  apps.push(app);
  await app.listen(0, '127.0.0.1');
  return Client.of(await app.getUrl(), await createTestKey(app));
}

describe('an application for tests', () => {
  test('is the service on a new empty database', async () => {
    const [one, other] = [await start(), await start()];
    expect(await one.post('/v1/pets', { name: 'Kitty', categoryId: 1 })).toMatchObject({
      status: 201,
      body: { id: 1n },
    });
    expect((await one.get('/v1/pets')).body).toHaveLength(1);
    expect((await other.get('/v1/pets')).body).toEqual([]);
  });

  test('accepts the overrides of Nest’s testing module', async () => {
    const pet = { id: 7n, name: 'Fake', categoryId: 1n };
    const fake = { find: () => Promise.resolve(pet) };
    const client = await start((builder) => builder.overrideProvider(PetsRepository).useValue(fake));
    expect((await client.get('/v1/pets/7')).body).toEqual(pet);
  });

  test('accepts an override of a provider that the composition replaces', async () => {
    class AuditedPetsRepository extends PostgresPetsRepository {}
    const pet = { id: 7n, name: 'Fake', categoryId: 1n };
    const fake = { find: () => Promise.resolve(pet) };
    const client = await start((builder) => builder.overrideProvider(PetsRepository).useValue(fake), {
      replace: [{ provide: PetsRepository, useClass: AuditedPetsRepository }],
    });
    expect((await client.get('/v1/pets/7')).body).toEqual(pet);
  });
});

test('a feature that is compiled alone delivers no messages', async () => {
  const delivered: string[] = [];
  class Delivery extends MessageDelivery {
    override deliver({ message }: QueuedMessage): Promise<void> {
      delivered.push(message);
      return Promise.resolve();
    }
  }
  const messages = MessagesModule.register({ deliver: Delivery });
  const feature = await Test.createTestingModule({
    imports: [await createTestCore(), messages],
  }).compile();
  await feature.init();
  onTestFinished(() => feature.close());
  await feature.get(DataSource).query(`INSERT INTO account (name) VALUES ('test')`);
  await feature.get(MessagesService).queue(1n, { message: 'Hello' });
  // A delivery would take two of these statements, because the embedded database runs one at a time.
  for (let statement = 0; statement < 10; statement++) await feature.get(MessagesService).listParked(1);
  expect(delivered).toEqual([]);
});
