import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Express, type RequestHandler } from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';

import { readConfig } from '#src/config/config';
import { createLimitedServer } from '#src/http/limited-server';

const say = (word: string): RequestHandler => {
  return (request, response) => void response.send(`${word} ${JSON.stringify(request.params)}`);
};

interface Case {
  /** What an application has that stands between a path and its route. */
  has: string;
  build: (app: Express) => void;
  isStrict?: false;
}

const CASES: readonly Case[] = [
  {
    has: 'a callback for a parameter',
    build: (app) => {
      app.param('x', (_request, response) => response.status(403).end());
      app.get('/a/:x', say('parameter'));
    },
  },
  {
    has: 'a callback for a parameter of a path that another is changed to',
    build: (app) => {
      app.param('x', (_request, response) => response.status(403).end());
      app.use((request, _response, next) => {
        request.url = '/a/1';
        next();
      });
      app.get('/a/b', say('fixed'));
      app.get('/a/:x', say('parameter'));
    },
  },
  {
    has: 'a middleware that changes the method',
    build: (app) => {
      app.use((request, _response, next) => {
        request.method = 'POST';
        next();
      });
      app.get('/a/:x', say('get'));
      app.post('/a/:x', say('post'));
    },
  },
  {
    has: 'a middleware that asks what is next',
    build: (app) => {
      app.use((request, response, next) => (request.next ? next() : response.status(500).end()));
      app.get('/a/:x', say('get'));
    },
  },
  {
    has: 'paths in any case',
    build: (app) => {
      app.get('/A/:x', say('upper'));
      app.get('/a/b', say('lower'));
    },
    isStrict: false,
  },
  {
    has: 'paths with a slash at their end or without',
    build: (app) => {
      app.get('/a/b/', say('with'));
      app.get('/a/:x', say('without'));
    },
    isStrict: false,
  },
  {
    has: 'routes that hand on to each other',
    build: (app) => {
      app.get('/a/b', (_request, _response, next) => next('route'));
      app.get('/a/:x', (_request, _response, next) => next());
      app.get('/a/:y', say('last'));
    },
  },
  {
    has: 'several paths for one route, and patterns',
    build: (app) => {
      app.get(['/a/:x', '/c'], say('several'));
      app.get(/^\/a/, say('pattern'));
      app.get('/a/b', say('fixed'));
    },
  },
];

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(CASES)('an application with $has', ({ build, isStrict = true }) => {
  test('answers as Express does', async () => {
    const makeApp = () => {
      const app = express();
      if (isStrict) app.enable('case sensitive routing').enable('strict routing');
      build(app);
      app.use((_request, response) => response.status(404).end());
      return app;
    };
    const urls = [
      await listen(createServer(makeApp())),
      await listen(createLimitedServer(readConfig({}), makeApp())),
    ];
    for (const path of ['/a/b', '/a/1', '/a/b', '/a/1', '/A/b', '/a/b/', '/a/%62', '/a/1?b=2', '/a', '/c']) {
      const [expected, given] = await Promise.all(
        urls.map(async (url) => {
          const answer = await fetch(url + path);
          const text = await answer.text();
          return [answer.status, answer.ok ? text : ''];
        }),
      );
      expect(given, path).toEqual(expected);
    }
  });
});
