import { executionAsyncResource } from 'node:async_hooks';

let kept: object | undefined;

/**
 * Keeps one of the objects that Node makes for every `process.nextTick`, some of them for every request. When V8
 * finds none in several full collections, as in a quiet hour, it forgets their shape, and the code that makes them
 * does not learn it again: from then on, each takes seven times as long, and a create a tenth longer.
 *
 * @returns the one that is kept
 */
export function keepTick(): Promise<object> {
  return new Promise((resolve) => {
    process.nextTick(() => resolve((kept ??= executionAsyncResource())));
  });
}
