import { stringifyJson } from '../domain/json.js';

/** Formats the items of all pages as one JSON array, with an item on each line. */
export async function* jsonArray(
  pages: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => `  ${stringifyJson(item)}`).join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
