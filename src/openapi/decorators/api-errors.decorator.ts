import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

import { type DomainError, RateLimited, Unauthorized, Unavailable } from '../../domain/errors.js';
import { ErrorBody } from '../../http/errors/error.dto.js';
import { knownHeaders, QUOTA } from './header.js';

const API_ERRORS = Symbol('ApiErrors');

/** The page about errors, which has a section for each code of the service, but not for the codes of teams. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');

/** The errors of every operation, in addition to a missing or wrong key. */
const COMMON = [
  new RateLimited(42, { ...QUOTA, RateLimit: '"account";r=0;t=42' }),
  new Unavailable(undefined),
];

/** Documents the errors of an operation, and those of every operation: 401, 429 and 503. */
export function ApiErrors(...errors: DomainError[]): MethodDecorator {
  return documentErrors([Unauthorized.invalid('{credential}'), ...errors, ...COMMON]);
}

/** Documents the errors of an operation that requires no key, like `ApiErrors`. */
export function ApiPublicErrors(...errors: DomainError[]): MethodDecorator {
  return documentErrors([...errors, ...COMMON]);
}

/** Documents further errors of an operation. Several errors with one status become one response with an example of each. */
export function documentErrors(errors: readonly DomainError[]): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const earlier = (Reflect.getMetadata(API_ERRORS, handler) ?? []) as DomainError[];
    const added = errors.filter(({ message }) => earlier.every((error) => error.message !== message));
    const all = [...earlier, ...added];
    const responses = added.map((error) => ApiResponse(responseOf(error, all)));
    applyDecorators(SetMetadata(API_ERRORS, all), ...responses)(target, key, descriptor);
  };
}

function responseOf({ code, message, status }: DomainError, all: readonly DomainError[]) {
  const sameStatus = all.filter((error) => error.status === status);
  const [first, ...others] = sameStatus.map(({ headers }) => Object.keys(headers).join());
  const examples = sameStatus.flatMap(({ headers }) => Object.entries(headers));
  const isRequired = others.every((names) => names === first);
  const name = `\`${code}\``;
  const link = PAGE.includes(`\n## ${code}\n`) ? `[${name}]({root}/docs/errors#${code})` : name;
  return {
    status,
    type: ErrorBody,
    // Nest joins the descriptions and the examples of responses with the same status.
    description: `${link}: ${message}`,
    examples: { [message]: { value: { code, message, status } } },
    headers: knownHeaders(Object.fromEntries(examples), isRequired),
  };
}
