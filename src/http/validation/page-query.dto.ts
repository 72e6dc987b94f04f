import { CursorParam, LimitParam } from './query-param.decorators.js';

/** The query parameters of a list in pages. */
export class PageQuery {
  /** The maximum number of items to return. */
  @LimitParam()
  readonly limit: number = 20;

  /** The cursor: returns only items with larger ids. The `Link` header of a page contains the next one. */
  @CursorParam()
  readonly after?: bigint;
}
