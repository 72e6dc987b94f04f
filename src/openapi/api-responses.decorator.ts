import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

import { header } from './header.js';

/** Documents what an operation answers when all is well. */
export function Answers(
  status: number,
  type: Type,
  description: string,
  headers?: Record<string, ReturnType<typeof header>>,
): MethodDecorator {
  return ApiResponse({ status, type, description, ...(headers && { headers }) });
}

/** Documents an answer without a body. */
export function AnswersNothing(description: string): MethodDecorator {
  return ApiResponse({ status: 204, description });
}

/** Documents an answer that is a whole list: a bare array, which gets a schema of that name. */
export function AnswersList(schemaName: string, item: Type, description: string): MethodDecorator {
  const schema = { title: schemaName, type: 'array', items: { $ref: getSchemaPath(item) } } as const;
  return applyDecorators(ApiExtraModels(item), ApiResponse({ status: 200, description, schema }));
}

/**
 * Documents an answer that is a page of a list: a bare array, which gets a schema of that name, and
 * the `Link` header.
 */
export function AnswersPage(schemaName: string, item: Type, nextPage: string): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(item),
    ApiResponse({
      status: 200,
      description: 'A page of the list.',
      schema: { title: schemaName, type: 'array', items: { $ref: getSchemaPath(item) }, maxItems: 100 },
      headers: {
        Link: header(
          'Present when more follow: the address of the next page (RFC 8288).',
          `<${nextPage}>; rel="next"`,
        ),
      },
    }),
  );
}
