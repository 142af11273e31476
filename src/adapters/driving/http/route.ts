import type { Request, RequestHandler, Response } from 'express';
import type { HttpRefusal } from './http-refusal.ts';

/** What every path of the API begins with: the version. */
export const API_PREFIX = '/api/v1';

/** What load balancers and orchestrators ask, again and again: outside the API and its version. */
export const HEALTH_PATHS = { alive: '/healthz', ready: '/readyz' } as const;

/** What monitoring asks for, again and again: where Prometheus looks unless it is told otherwise. */
export const METRICS_PATH = '/metrics';

/** What says how to call the API: for programs, and for people. */
export const DOCUMENT_PATHS = { openApi: '/openapi.json', page: '/docs' } as const;

/**
 * An endpoint that uses no body: its caller is authenticated and limited, and its query checked,
 * before it.
 */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Names of the query parameters that it takes; others, and repeated ones, are rejected. */
  readonly queryParameters: readonly string[];
  handle(request: Request, response: Response): void | Promise<void>;
  /** Responds to a request to this path that never gets to `handle`. */
  refuse(response: Response, refusal: HttpRefusal): void | Promise<void>;
}

/**
 * An endpoint that reads a body, always POST. Its handler has memory reserved for that first, and
 * then authenticates and limits its caller and checks the query by itself.
 */
export interface SigningRoute extends Pick<Route, 'path' | 'handle' | 'refuse'> {
  /** Refuses requests before anything else, and without a line in the log, while too many wait. */
  readonly shed: RequestHandler;
}

/**
 * The pattern of the route that took a request, which holds nothing that its caller wrote; null
 * where none did.
 */
export function routePatternOf(request: Request): string | null {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? null;
}
