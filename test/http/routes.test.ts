import type { Express } from 'express';
import { expect, test } from 'vitest';

import { PublishedDocument } from '../support/published-document.ts';
import { useService } from '../support/service.ts';

/** The routes of controllers that require no key, of which health checks are no operations. `pages.test.ts` checks the pages. */
const HEALTH_CHECKS = ['GET /health/live', 'GET /health/ready'];
const OPEN = [...HEALTH_CHECKS, 'POST /accounts'];

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

test('every route requires a key, except for the public ones', async () => {
  const open: string[] = [];
  for (const { method, path } of routes()) {
    const answer = await service.client.withKey(undefined).send(method, path.replace(/:\w+/g, '1'));
    if (answer.status !== 401) open.push(`${method} ${path}`);
  }
  expect(open.sort()).toEqual(OPEN);
});

test('every route is an operation of a published document, except for health checks', async () => {
  const { operations } = await PublishedDocument.of(service.url);
  const documented = operations.map(
    ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  );
  const listed = routes().map(({ method, path }) => `${method} ${path}`);
  expect(listed.sort()).toEqual([...documented, ...HEALTH_CHECKS].sort());
});
