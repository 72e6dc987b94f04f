import { ApiPropertyOptional } from '@nestjs/swagger';

import type { Caller } from '../auth/caller.decorator.js';
import type { PageRequest } from './page.js';
import { CursorParam, LimitParam } from './query-param.decorators.js';

const DEFAULT_LIMIT = 20;

/** The query parameters of a list in pages. */
export class PageQuery {
  /** The maximum number of items to return. */
  @LimitParam()
  @ApiPropertyOptional({ default: DEFAULT_LIMIT })
  readonly limit?: number;

  /** The cursor: returns only items with larger ids. The `Link` header of a page contains the next one. */
  @CursorParam()
  readonly after?: bigint;

  /** Returns the caller's request for a page, with the defaults of absent parameters. */
  toPageRequest({ account }: Caller): PageRequest {
    return { accountId: account.id, after: this.after ?? 0n, limit: this.limit ?? DEFAULT_LIMIT };
  }
}
