import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { LRUCache } from 'lru-cache';

import { forParameterOfClass } from './parameter-class.js';
import { requestOf } from './request-of.js';
import { toValidQuery } from './validation.js';

/** How many queries are remembered. */
const REMEMBERED = 1000;

/**
 * Hands the query to a parameter of a handler, as a valid instance of the parameter's class, and
 * documents it. Unlike a pipe, it answers at once, and nothing waits for a promise.
 */
export function ValidQuery(): ParameterDecorator {
  return forParameterOfClass('ValidQuery', ({ dto, target, method, descriptor, index }) => {
    ApiQuery({ type: dto })(target, method, descriptor);
    // The same text is valid or not whenever it comes, and a DTO is not changed.
    const valid = new LRUCache<string, object>({ max: REMEMBERED });
    createParamDecorator((_data: unknown, context: ExecutionContext) => {
      const request = requestOf(context);
      const text = behindPath(request.url);
      let query = valid.get(text);
      if (!query) valid.set(text, (query = toValidQuery(dto, request.query)));
      return query;
    })()(target, method, index);
  });
}

/** The query and, though no client should send one, the fragment: what looks like a query within it is none. */
function behindPath(url: string): string {
  const start = url.search(/[?#]/);
  return start < 0 ? '' : url.slice(start);
}
