import type { Type } from '@nestjs/common';
import { ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';

import { MAX_PAGE_SIZE } from '../../limits.js';
import { header } from './header.js';

/** The property of a response with the {@link ListSchema} of its body. It is not published. */
export const LIST_SCHEMA = 'x-list-schema';

/** The schema of a bare array, in addition to its items. */
export interface ListSchema {
  readonly name: string;
  readonly maxItems?: number;
}

/** Documents a response with a whole list: a bare array, with a named schema. */
export function ApiListResponse(schemaName: string, item: Type, description: string): MethodDecorator {
  return listResponse(item, { name: schemaName }, { description });
}

/** Documents a response with a page of a list, and its `Link`, with the path of a next page as the example. */
export function ApiPageResponse(schemaName: string, item: Type, nextPage: string): MethodDecorator {
  const list = { name: schemaName, maxItems: MAX_PAGE_SIZE };
  const link = header(
    'The URL of the next page (RFC 8288). Absent on the last page.',
    `<{root}${nextPage}>; rel="next"`,
  );
  return listResponse(item, list, { description: 'A page of the list.', headers: { Link: link } });
}

function listResponse(item: Type, list: ListSchema, options: ApiResponseNoStatusOptions): MethodDecorator {
  return ApiResponse({ ...options, status: 200, type: [item], ...{ [LIST_SCHEMA]: list } });
}
