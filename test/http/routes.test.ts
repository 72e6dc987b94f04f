import { ModulesContainer } from '@nestjs/core';
import type { Express } from 'express';
import { expect, test } from 'vitest';

import { PUBLIC } from '#src/auth/callers/caller.decorator';
import { API_ERRORS } from '#src/openapi/decorators/api-errors.decorator';

import { useService } from '../support/service.ts';

/** The routes of controllers that require no key. `pages.test.ts` checks the pages. */
const OPEN = ['GET /health/live', 'GET /health/ready', 'POST /accounts'];

type Handler = (...parameters: unknown[]) => unknown;

const service = useService();

/** Returns every route of the running service, as Express lists them. */
function routes(): { method: string; path: string }[] {
  const express: Express = service.app.getHttpAdapter().getInstance();
  const found = express.router.stack.flatMap(({ route }) =>
    [...new Set((route?.stack ?? []).map(({ method }) => method as string | undefined))]
      .filter((method) => method !== undefined)
      .map((method) => ({ method: method.toUpperCase(), path: route?.path ?? '' })),
  );
  // The route of a middleware has the path of an operation.
  return [...new Map(found.map((each) => [`${each.method} ${each.path}`, each])).values()];
}

/** Returns every handler of the running service, as Nest lists them. */
function handlers(): { name: string; handler: Handler; controller: object }[] {
  const controllers = [...service.app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as { name: string; prototype: object }),
  );
  return controllers.flatMap((controller) =>
    Object.entries(Object.getOwnPropertyDescriptors(controller.prototype))
      .filter(([name]) => name !== 'constructor')
      .map(([, { value }]) => value as Handler)
      .filter((handler) => Reflect.hasMetadata('path', handler))
      .map((handler) => ({ name: `${controller.name}.${handler.name}`, handler, controller })),
  );
}

test('every route requires a key, except for the public ones', async () => {
  const open: string[] = [];
  for (const { method, path } of routes()) {
    const answer = await service.client.withKey(undefined).send(method, path.replace(/:\w+/g, '1'));
    if (answer.status !== 401) open.push(`${method} ${path}`);
  }
  expect(open.sort()).toEqual(OPEN);
});

test('every handler is a route', () => {
  expect(handlers().map(({ name }) => name)).toContain('PetsController.getPet');
  expect(routes()).toHaveLength(handlers().length);
});

test('every handler is in a public controller, or declares its errors', () => {
  for (const { name, handler, controller } of handlers()) {
    const isOperation = !Reflect.hasMetadata(PUBLIC, controller);
    expect(Reflect.hasMetadata(API_ERRORS, handler), name).toBe(isOperation);
  }
});

test('every handler outside of public controllers is an operation of a published document', async () => {
  const documents = await Promise.all(
    ['/openapi.json', '/openapi-accounts.json'].map(async (path) => (await service.client.get(path)).text),
  );
  for (const { handler, controller } of handlers()) {
    const documented = documents.some((text) => text.includes(`"operationId": "${handler.name}"`));
    expect(documented, handler.name).toBe(!Reflect.hasMetadata(PUBLIC, controller));
  }
});
