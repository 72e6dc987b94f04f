import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';

/** Documents an answer that is a page of a list: a bare array, under a schema name of its own, and `Link`. */
export function AnswersPage(schemaName: string, item: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(item),
    ApiResponse({
      status: 200,
      schema: { $ref: `#/components/schemas/${schemaName}` },
      headers: {
        Link: {
          description: 'Present when more follow: the address of the next page, as `rel="next"` (RFC 8288).',
          schema: { type: 'string', examples: ['</v1/pets?limit=20&after=42>; rel="next"'] } as object,
        },
      },
    }),
  );
}
