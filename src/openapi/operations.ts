import type { OpenAPIObject } from '@nestjs/swagger';

type Paths = OpenAPIObject['paths'];

/** An operation of a document. */
export type Operation = NonNullable<Paths[string]['get']>;

/** A response of an operation, which is not a reference during the scan. */
export type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

/** An operation, its path and its method in lower case. */
interface OperationOfPath {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** A path of the service, in the syntax of Express, and its methods in upper case. */
export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
}

/** The methods of OpenAPI 3.1. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const;

/** Returns all operations of the paths, with their paths and methods. */
export function operationsByPath(paths: Paths): OperationOfPath[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}

/** Returns all operations of the paths. */
export function operationsOf(paths: Paths): Operation[] {
  return operationsByPath(paths).map(({ operation }) => operation);
}

/** Returns the paths with only the methods of OpenAPI 3.1. The scan also has those of `@Search()` and others. */
export function withKnownMethods(paths: Paths): Paths {
  const known = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).filter(([method]) => METHODS.some((each) => each === method));
    return [path, Object.fromEntries(operations)] as const;
  });
  return Object.fromEntries(known.filter(([, item]) => Object.keys(item).length > 0));
}

/** Returns the routes of the paths. HEAD is supported wherever GET is. */
export function routesOf(paths: Paths): Route[] {
  return Object.entries(paths).map(([path, item]) => {
    const methods = Object.keys(item).map((method) => method.toUpperCase());
    if (item.get && !item.head) methods.push('HEAD');
    const pattern = path
      .replaceAll(':', String.raw`\:`)
      .replaceAll('{', ':')
      .replaceAll('}', '');
    return { path: pattern, methods: methods.sort() };
  });
}
