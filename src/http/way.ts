import express, { type NextFunction, type Request, type Response } from 'express';

/** What Express's router keeps of a route, or of what stands between routes. */
export interface Layer {
  /** Whether it is given every path, and is no route. */
  slash?: boolean;
  match(path: string): unknown;
  handleRequest(request: Request, response: Response, next: NextFunction): void;
  route?: Route;
}

export interface Route {
  path: unknown;
  methods: Record<string, boolean>;
  stack: Layer[];
}

/** Runs all that Express would run for a request. */
export type Way = (request: Request, response: Response) => void;

/** What an application holds, in the order in which it is tried. */
export function layersOf(app: unknown): Layer[] {
  return (app as { router: { stack: Layer[] } }).router.stack;
}

/** A way that begins with what Express gives to every handler. */
export function startOf(way: Way): Way {
  return (request, response) => {
    request.res = response;
    request.originalUrl = request.url;
    request.baseUrl = '';
    request.params = bare();
    response.locals = bare();
    way(request, response);
  };
}

/** A way that ends at the handler of a route, unless that hands a request on to what is behind. */
export function endAt(
  route: Route,
  handler: Layer,
  parameter: string | undefined,
  behind: readonly Layer[],
  onHandedOn: () => void,
): Way {
  return (request, response) => {
    // Written into the assignment, the function would outlive the request: V8 takes it for one that is to stay.
    const next: NextFunction = (error?: unknown) => {
      onHandedOn();
      goOn(behind, error, request, response);
    };
    if (parameter !== undefined) request.params[parameter] = lastSegmentOf(request.url);
    request.route = route;
    request.next = next;
    handler.handleRequest(request, response, next);
  };
}

/** A way that leads through a layer first, which may make another request of it. */
export function before(way: Way, layer: Layer, method: string, behind: readonly Layer[]): Way {
  return (request, response) => {
    const next: NextFunction = (error?: unknown) => {
      const isOther = request.url !== request.originalUrl || request.method !== method;
      if (error || isOther) goOn(behind, error, request, response);
      else way(request, response);
    };
    request.next = next;
    layer.handleRequest(request, response, next);
  };
}

/** Lets Express run what is behind a layer that has handed a request on. */
function goOn(behind: readonly Layer[], error: unknown, request: Request, response: Response): void {
  const router = express.Router();
  router.use((_request, _response, next) => next(error));
  layersOf({ router }).push(...behind);
  router(request, response, (unhandled?: unknown) => response.status(unhandled ? 500 : 404).end());
}

/** An object that inherits nothing, as Express gives them. */
function bare(): Record<string, never> {
  return Object.create(null) as Record<string, never>;
}

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function lastSegmentOf(url: string): string {
  const path = pathOf(url);
  return path.slice(path.lastIndexOf('/') + 1);
}
