import {
  All,
  Controller,
  Get,
  Head,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Next,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import { Public } from '#src/auth/public.decorator';
import { PetsModule } from '#src/pets/pets.module';

import { sendRaw } from './support/raw-request.ts';
import { startService } from './support/service.ts';

function whatIsSeenOf({ originalUrl, baseUrl, params, query, path, route }: Request) {
  return { originalUrl, baseUrl, params, query, path, route: (route as { path: string }).path };
}

@Public()
@ApiExcludeController()
@Controller('probe')
class ProbeController {
  @Get('handed-on')
  handOn(@Next() next: NextFunction): void {
    next();
  }

  @Get('failed')
  fail(@Next() next: NextFunction): void {
    next(new Error('a secret'));
  }

  @Get('seen')
  see(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    response.locals['seen'] = true;
    return whatIsSeenOf(request);
  }

  @Get(':word')
  say(@Param('word') word: string) {
    return { word };
  }

  @Post('later')
  create() {
    return { later: true };
  }

  @Get('later')
  findLater() {
    return { later: true };
  }

  @Get('of/headers')
  findHeaders(@Res({ passthrough: true }) response: Response) {
    response.setHeader('X-By', 'GET');
    return {};
  }

  @Head('of/headers')
  headers(@Res({ passthrough: true }) response: Response) {
    response.setHeader('X-By', 'HEAD');
  }

  @Get('of/:word')
  sayOf(@Param('word') word: string) {
    return { word };
  }

  @All('of/any')
  any(@Req() { method }: Request) {
    return { method };
  }
}

/** Routes that end with a parameter, and what else would take their paths. */
@Public()
@ApiExcludeController()
@Controller('parameter')
class ParameterController {
  @Get('fixed')
  handOn(@Next() next: NextFunction): void {
    next();
  }

  @Get('of/:first')
  sayFirst(@Param() params: Record<string, string>, @Next() next: NextFunction) {
    next(params['first'] === 'none' ? undefined : new Error('a secret'));
  }

  @Get('of/:second')
  saySecond(@Res() response: Response, @Param() params: Record<string, string>) {
    response.json(params);
  }

  @Get(':word')
  see(@Req() request: Request) {
    return whatIsSeenOf(request);
  }

  @Get('{*any}')
  sayAny() {
    return { any: true };
  }

  @Get('behind/:word')
  sayBehind() {
    return { any: false };
  }
}

@Module({ controllers: [ProbeController, ParameterController] })
class ProbeModule {}

async function startProbe(...features: (typeof ProbeModule)[]) {
  const service = await startService({}, { features: [...features, PetsModule, AuthModule] });
  onTestFinished(() => service.stop());
  return service;
}

test('a handler of a fixed path sees the request as Express gives it', async () => {
  const { client } = await startProbe(ProbeModule);
  expect((await client.get('/probe/seen?a=1&a=2')).body).toEqual({
    originalUrl: '/probe/seen?a=1&a=2',
    baseUrl: '',
    params: {},
    query: { a: ['1', '2'] },
    path: '/probe/seen',
    route: '/probe/seen',
  });
});

test('what a handler hands on goes to the next route, and its error to the one body of errors', async () => {
  const { client } = await startProbe(ProbeModule);
  expect((await client.get('/probe/handed-on')).body).toEqual({ word: 'handed-on' });
  const failed = await client.get('/probe/failed');
  expect(failed.status).toBe(500);
  expect(failed.body).toMatchObject({ code: 'internal_error' });
  expect(failed.text).not.toContain('secret');
});

test('a handler of a path with a parameter sees the request as Express gives it', async () => {
  const { client } = await startProbe(ProbeModule);
  const words = { 'a-1.~_': 'a-1.~_', '%C3%A4%2Fb': 'ä/b', '..%2F': '../', ':word': ':word', a: 'a' };
  for (const [segment, word] of Object.entries(words)) {
    expect((await client.get(`/parameter/${segment}?a=1&a=2`)).body, segment).toEqual({
      originalUrl: `/parameter/${segment}?a=1&a=2`,
      baseUrl: '',
      params: { word },
      query: { a: ['1', '2'] },
      path: `/parameter/${segment}`,
      route: '/parameter/:word',
    });
  }
});

test('a path with a parameter is taken by the route that Express finds first', async () => {
  const { client } = await startProbe(ProbeModule);
  for (const round of [1, 2]) {
    expect((await client.get('/parameter/fixed')).body, `${round}`).toMatchObject({
      params: { word: 'fixed' },
    });
    expect((await client.get('/parameter/of/none')).text).toBe('{"second":"none"}');
    const failed = await client.get('/parameter/of/some');
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('secret');
    expect((await client.get('/parameter/behind/a')).body).toEqual({ any: true });
    expect((await client.get('/parameter/')).body).toEqual({ any: true });
  }
});

test('a route that stands before one of a fixed path comes before it', async () => {
  const { client } = await startProbe(ProbeModule);
  expect((await client.get('/probe/later')).body).toEqual({ word: 'later' });
  expect((await client.post('/probe/later', {})).body).toEqual({ later: true });
});

test('another spelling of a path is no match, and methods are told apart', async () => {
  const { client } = await startProbe(ProbeModule);
  for (const path of ['/v1/pets/', '/V1/pets', '//v1/pets', '/v1/%70ets']) {
    expect((await client.get(path)).status, path).toBe(404);
  }
  for (const path of ['/v1/pets/1/', '/V1/pets/1', '/v1//pets/1', '/v1/pets/1/1']) {
    expect((await client.get(path)).status, path).toBe(404);
  }
  for (const path of ['/v1/pets', '/v1/pets/1']) {
    expect((await client.send('DELETE', path)).status).toBe(405);
  }
  expect((await client.send('HEAD', '/v1/pets')).status).toBe(200);
  expect((await client.send('HEAD', '/probe/of/headers')).headers.get('x-by')).toBe('GET');
  expect((await client.get('/probe/of/:word')).body).toEqual({ word: ':word' });
  for (const method of ['PUT', 'POST']) {
    expect((await client.send(method, '/probe/of/any')).body).toEqual({ method });
  }
});

test('what was asked for by its fragment is not taken for the query of others', async () => {
  const { client, url } = await startProbe(ProbeModule);
  for (const name of ['a', 'b', 'c']) await client.post('/v1/pets', { name, categoryId: 1 });
  const headers = `Host: a\r\nAuthorization: Bearer ${client.key ?? ''}\r\nConnection: close`;
  const answer = await sendRaw(url, `GET /v1/pets#x?limit=2 HTTP/1.1\r\n${headers}\r\n\r\n`);
  expect(answer.status).toBe(200);
  expect((await client.get('/v1/pets?limit=2')).body).toHaveLength(2);
});

test('the middleware of a module runs before the routes that it is for', async () => {
  @Module({})
  class StampModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer
        .apply((_request: Request, response: Response, next: NextFunction) => {
          response.setHeader('X-Stamp', 'yes');
          next();
        })
        .forRoutes('*all');
    }
  }
  const { client } = await startProbe(StampModule, ProbeModule);
  expect((await client.get('/v1/pets')).headers.get('x-stamp')).toBe('yes');
  expect((await client.get('/probe/seen')).headers.get('x-stamp')).toBe('yes');
  expect((await client.get('/parameter/seen')).headers.get('x-stamp')).toBe('yes');
});
