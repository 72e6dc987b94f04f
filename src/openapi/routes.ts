import type { OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** A path of the service, in the syntax of Express, and its methods. */
export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
}

/** Returns the routes of the scanned operations. HEAD is supported wherever GET is. */
export function routesOf({ paths }: OpenAPIObject): Route[] {
  return Object.entries(paths).map(([path, item]) => {
    const methods = METHODS.filter((method) => item[method]).map((method) => method.toUpperCase());
    if (item.get) methods.push('HEAD');
    const segments = path.split('/').map((part) => (part.startsWith('{') ? `:${part.slice(1, -1)}` : part));
    return { path: segments.join('/'), methods: methods.sort() };
  });
}

/** Returns the methods of all routes. */
export function methodsOf(routes: readonly Route[]): string[] {
  return [...new Set(routes.flatMap(({ methods }) => methods))].sort();
}
