import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Module,
  NotFoundException,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { expect, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { PetsModule } from '#src/pets/pets.module';

import { sendRaw } from '../support/raw-request.ts';
import { type Service, startServiceForTest } from '../support/service.ts';

const responseOf = (host: ArgumentsHost) => host.switchToHttp().getResponse<Response>();

// The filters of Nest's chapter on exception filters. The header shows that they have run.

@Catch()
class CatchEverythingFilter implements ExceptionFilter {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const statusCode = exception instanceof HttpException ? exception.getStatus() : 500;
    const response = responseOf(host).set('X-Filter', 'yes');
    this.adapterHost.httpAdapter.reply(response, { statusCode }, statusCode);
  }
}

@Catch()
class AllExceptionsFilter extends BaseExceptionFilter {
  override catch(exception: unknown, host: ArgumentsHost): void {
    responseOf(host).set('X-Filter', 'yes');
    super.catch(exception, host);
  }
}

@Catch(HttpException)
class HttpExceptionFilter implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const statusCode = exception.getStatus();
    responseOf(host).set('X-Filter', 'yes').status(statusCode).json({ statusCode });
  }
}

@Catch(NotFoundException)
class NotFoundFilter implements ExceptionFilter<NotFoundException> {
  catch(_exception: NotFoundException, host: ArgumentsHost): void {
    responseOf(host).set('X-Filter', 'yes').status(404).send('Nothing is here.');
  }
}

function startWith(filter: Type<ExceptionFilter>, environment: NodeJS.ProcessEnv = {}): Promise<Service> {
  @Module({ providers: [{ provide: APP_FILTER, useClass: filter }] })
  class FilterModule {}
  return startServiceForTest(environment, { features: [AuthModule, PetsModule, FilterModule] });
}

const statusOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('x-filter'),
];

test.each([
  ['for everything', CatchEverythingFilter],
  ['that extends BaseExceptionFilter', AllExceptionsFilter],
  ['for HttpException', HttpExceptionFilter],
])(
  'a global filter %s catches errors of guards, handlers and middleware as HttpExceptions',
  async (_kind, filter) => {
    const { url, client } = await startWith(filter, { SIGNUP: 'closed' });
    const key = { authorization: `Bearer ${client.key ?? ''}` };
    const json = { ...key, 'content-type': 'application/json' };
    const tooMany = '&'.repeat(500);
    for (const [status, path, init] of [
      [401, '/v1/pets', {}],
      [401, '/v1/pets', { headers: { authorization: 'Bearer wrong' } }],
      [403, '/accounts', { method: 'POST' }],
      [400, `/v1/pets?${tooMany}`, { headers: key }],
      [404, '/v1/pets/5', { headers: key }],
      [404, '/nowhere', {}],
      [405, '/v1/pets', { method: 'DELETE' }],
      [400, '/v1/pets', { method: 'POST', headers: json, body: '{' }],
      [413, '/v1/pets', { method: 'POST', headers: json, body: ' '.repeat(300_000) }],
    ] as const) {
      expect(statusOf(await fetch(url + path, init)), `${status} ${path}`).toEqual([status, 'yes']);
    }
    expect((await fetch(`${url}/v1/pets`, { method: 'DELETE' })).headers.get('allow')).toBe(
      'GET, HEAD, POST',
    );
    for (const [status, lines] of [
      [400, 'GET /v1/pets HTTP/1.1\r\nHost: a b\r\n\r\n'],
      [501, 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
      [505, 'GET /v1/pets HTTP/2.0\r\nHost: a\r\n\r\n'],
    ] as const) {
      expect(statusOf(await sendRaw(url, lines)), lines).toEqual([status, 'yes']);
    }
  },
);

test('a global filter catches the 429 of an address that sends too many wrong keys', async () => {
  const { url } = await startWith(HttpExceptionFilter, { RATE_LIMIT_PER_MINUTE: '1' });
  expect(statusOf(await fetch(`${url}/v1/pets`))).toEqual([401, 'yes']);
  expect(statusOf(await fetch(`${url}/v1/pets`))).toEqual([429, 'yes']);
});

test('a global filter for NotFoundException answers requests for unknown paths', async () => {
  const { url } = await startWith(NotFoundFilter);
  const answer = await fetch(`${url}/nowhere`);
  expect([answer.status, await answer.text()]).toEqual([404, 'Nothing is here.']);
});
