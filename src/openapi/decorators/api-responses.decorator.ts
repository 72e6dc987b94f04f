import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

import { MAX_PAGE_SIZE } from '../../limits.js';
import { header } from './header.js';

/** The property of a schema with the name that it has in the published document. It is not published. */
export const SCHEMA_NAME = 'x-schema-name';

/** Returns a schema of a bare array. */
const listOf = (schemaName: string, item: Type) => ({
  [SCHEMA_NAME]: schemaName,
  type: 'array',
  items: { $ref: getSchemaPath(item) },
});

/** Documents a response with a whole list: a bare array, with a named schema. */
export function ApiListResponse(schemaName: string, item: Type, description: string): MethodDecorator {
  const schema = listOf(schemaName, item);
  return applyDecorators(ApiExtraModels(item), ApiResponse({ status: 200, description, schema }));
}

/**
 * Documents a response with a page of a list: a bare array, with a named schema, and the `Link` header.
 *
 * @param nextPage the path of a next page, for the example
 */
export function ApiPageResponse(schemaName: string, item: Type, nextPage: string): MethodDecorator {
  const schema = { ...listOf(schemaName, item), maxItems: MAX_PAGE_SIZE };
  const link = header(
    'The URL of the next page (RFC 8288). Absent on the last page.',
    `<{root}${nextPage}>; rel="next"`,
  );
  return applyDecorators(
    ApiExtraModels(item),
    ApiResponse({ status: 200, description: 'A page of the list.', schema, headers: { Link: link } }),
  );
}
