import {
  type CallHandler,
  ClassSerializerInterceptor,
  type ExecutionContext,
  Injectable,
  Module,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { of, tap } from 'rxjs';
import { expect, test } from 'vitest';

import { FEATURES } from '../support/root.ts';
import { startServiceForTest } from '../support/service.ts';

const LARGEST = 9223372036854775807n;

/** Sends the first result of each handler again, like Nest's `CacheInterceptor`. */
@Injectable()
class CachingInterceptor implements NestInterceptor {
  private readonly results = new Map<unknown, unknown>();

  intercept(context: ExecutionContext, next: CallHandler) {
    const handler = context.getHandler();
    if (this.results.has(handler)) return of(this.results.get(handler));
    return next.handle().pipe(tap((result) => this.results.set(handler, result)));
  }
}

@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor }] })
class SerializingModule {}

@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: CachingInterceptor }] })
class CachingModule {}

test.each([[[SerializingModule]], [[SerializingModule, CachingModule]]])(
  'global interceptors of a team get the results of our operations: %o',
  async (modules) => {
    const { client } = await startServiceForTest({}, [...FEATURES, ...modules]);
    const pet = { name: 'Kitty', categoryId: LARGEST };
    const { body } = await client.post('/v1/pets', pet);
    expect(body).toEqual({ id: 1n, ...pet });
    for (let i = 0; i < 2; i++) expect((await client.get('/v1/pets')).body).toEqual([body]);
    const list = await client.get('/v1/pets?limit=1');
    expect(list.text).toBe(`[{"id":1,"name":"Kitty","categoryId":${LARGEST}}]`);
  },
);
