import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';

import { MAX_PAGE_SIZE } from '../../limits.js';
import { header } from './header.js';

/** Marks a schema that the published document has in `components`, by its title. The mark is not published. */
export const NAMED_SCHEMA = 'x-named-schema';

/** Documents a response with a whole list: a bare array, with a named schema. */
export function ApiListResponse(schemaName: string, item: Type, description: string): MethodDecorator {
  const schema = {
    title: schemaName,
    type: 'array',
    items: { $ref: getSchemaPath(item) },
    [NAMED_SCHEMA]: true,
  };
  return applyDecorators(ApiExtraModels(item), ApiResponse({ status: 200, description, schema }));
}

/**
 * Documents a response with a page of a list: a bare array, with a named schema, and the `Link` header.
 *
 * @param nextPage the path of a next page, for the example
 */
export function ApiPageResponse(schemaName: string, item: Type, nextPage: string): MethodDecorator {
  const items = { $ref: getSchemaPath(item) };
  const schema = { title: schemaName, type: 'array', items, maxItems: MAX_PAGE_SIZE, [NAMED_SCHEMA]: true };
  const link = header(
    'The URL of the next page (RFC 8288). Absent on the last page.',
    `<{root}${nextPage}>; rel="next"`,
  );
  return applyDecorators(
    ApiExtraModels(item),
    ApiResponse({ status: 200, description: 'A page of the list.', schema, headers: { Link: link } }),
  );
}
