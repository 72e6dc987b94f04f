/** The property of a {@link JsonArray} that has its text. */
export const JSON_TEXT = Symbol('JSON text');

/**
 * An array that is a JSON text until something reads its items. The first read parses the text, so that interceptors get
 * an ordinary array. If nothing reads it, the response is the text itself: to parse and to write a page again would take
 * longer than everything else in a request.
 *
 * It is a Proxy, which `structuredClone` refuses. `[...array]` makes a plain one.
 */
export type JsonArray<Item> = Item[] & {
  /** Undefined once something has read the items: they may have changed. */
  readonly [JSON_TEXT]: string | undefined;
};

/** @param readItems returns the items of the text */
export function arrayOfJson<Item>(text: string, readItems: () => readonly Item[]): JsonArray<Item> {
  const items: Item[] = [];
  let unread: string | undefined = text;
  const read = () => {
    if (unread !== undefined) {
      unread = undefined;
      items.push(...readItems());
    }
    return items;
  };
  const array = new Proxy(items, {
    // Promises and RxJS look for methods such as `then`, which no array has.
    get: (_items, name) => {
      if (name === JSON_TEXT) return unread;
      const target: object = name in items || isIndex(name) ? read() : items;
      return target[name as keyof typeof target] as unknown;
    },
    has: (_items, name) => name in read(),
    ownKeys: () => Reflect.ownKeys(read()),
    getOwnPropertyDescriptor: (_items, name) => Reflect.getOwnPropertyDescriptor(read(), name),
  });
  // console.log shows the target of a Proxy, unless the target has this method of Node.
  Object.defineProperty(items, Symbol.for('nodejs.util.inspect.custom'), { value: () => [...array] });
  return array as JsonArray<Item>;
}

const isIndex = (name: string | symbol) => typeof name === 'string' && /^\d/.test(name);
