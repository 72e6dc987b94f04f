/** What `node:http` gives away of Node's `fetch`, and loads it for. */
const OF_FETCH = ['WebSocket', 'CloseEvent', 'MessageEvent'];

/**
 * Has Node load its `fetch` when it is called, and not with `node:http`: the service has no use for it, and it takes
 * 4 MiB. An ES module that imports `node:http` has Node read all that it exports, and some of that is of `fetch`
 * (nodejs/node#59686). Call it before anything imports `node:http`, as Nest does. The globals of those names stay.
 */
export function loadFetchOnDemand(): void {
  const http = process.getBuiltinModule('node:http');
  for (const name of OF_FETCH) Reflect.deleteProperty(http, name);
}
