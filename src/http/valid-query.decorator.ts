import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

import { forParameterOfClass } from './parameter-class.js';
import { requestOf } from './request-of.js';
import { toValidQuery } from './validation.js';

/** How many queries are remembered before all are forgotten. */
const REMEMBERED = 1000;

/**
 * Hands the query to a parameter of a handler, as a valid instance of the parameter's class, and
 * documents it. Unlike a pipe, it answers at once, and nothing waits for a promise.
 */
export function ValidQuery(): ParameterDecorator {
  return forParameterOfClass('ValidQuery', ({ dto, target, method, descriptor, index }) => {
    ApiQuery({ type: dto })(target, method, descriptor);
    // The same address is valid or not whenever it comes, and a DTO is not changed.
    const valid = new Map<string, object>();
    createParamDecorator((_data: unknown, context: ExecutionContext) => {
      const request = requestOf(context);
      let query = valid.get(request.url);
      if (!query) {
        query = toValidQuery(dto, request.query);
        if (valid.size === REMEMBERED) valid.clear();
        valid.set(request.url, query);
      }
      return query;
    })()(target, method, index);
  });
}
