import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';

/** A request that is known by its first line alone, and what is done with it. */
export interface DirectRoute {
  /** `POST`. */
  readonly method: string;
  /** The whole request target, query and all. */
  readonly url: string;
  /** The pattern of the route, and what it makes of the query. */
  readonly path: string;
  readonly query: Request['query'];
  readonly passBy: RequestHandler;
  readonly handle: RequestHandler;
}

/** What stands in front of Express's router. */
export interface FrontParts {
  /** What every request passes, in this order. They go on at once or never: what takes time belongs to the route. */
  readonly checks: readonly RequestHandler[];
  readonly routes: readonly DirectRoute[];
  /** What requests to `routes` pass behind `passBy`, as others do behind Express. */
  readonly checksInside: readonly RequestHandler[];
  readonly answerError: ErrorRequestHandler;
}

/** Express's own way in; every middleware and route of it is behind that. */
interface Entered {
  handle(request: Request, response: Response, next?: NextFunction): void;
}

/**
 * Has every request pass the checks before Express sees it, and those to a few busy routes never get to its router at all. Express matches a path against each route before the one that is wanted and calls each middleware through
 * five functions. Whatever is not written exactly as the routes here (another method, another query, an escaped character) goes through Express, which has the same routes with the same handlers.
 */
export function standInFront(app: Express, { checks, routes, checksInside, answerError }: FrontParts): void {
  const express = app as unknown as Entered;
  const throughExpress = express.handle.bind(app);
  const routesByUrl = new Map(routes.map((route) => [route.url, route]));

  express.handle = (request, response, next) => {
    const fail = (error: unknown) => answerError(error, request, response, ignore);
    prepare(app, request, response);
    try {
      if (!passes(checks, request, response)) return;
      const route = routesByUrl.get(request.url);
      if (route === undefined || route.method !== request.method) return throughExpress(request, response, next);
      enter(route, request);
      route.passBy(request, response, () => work(route, request, response, fail));
    } catch (error) {
      fail(error);
    }
  };

  function work({ handle }: DirectRoute, request: Request, response: Response, fail: (error: unknown) => void): void {
    try {
      if (!passes(checksInside, request, response)) return;
      const working: unknown = handle(request, response, fail);
      if (working instanceof Promise) working.catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}

let isPassed = false;

function pass(): void {
  isPassed = true;
}

/** Without a function of its own for each. */
function passes(checks: readonly RequestHandler[], request: Request, response: Response): boolean {
  for (const check of checks) {
    isPassed = false;
    check(request, response, pass);
    if (!isPassed) return false;
  }
  return true;
}

/** As Express's first middleware does, which finds it done. */
function prepare(app: Express, request: Request, response: Response): void {
  if (Object.getPrototypeOf(request) !== app.request) Object.setPrototypeOf(request, app.request);
  if (Object.getPrototypeOf(response) !== app.response) Object.setPrototypeOf(response, app.response);
  response.locals = {};
}

/** As Express's router does. */
function enter(route: DirectRoute, request: Request): void {
  request.originalUrl = request.url;
  request.route = route;
  request.query = route.query;
}

function ignore(): void {}
