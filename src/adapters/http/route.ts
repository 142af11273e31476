import type { Request, RequestHandler, Response } from 'express';
import type { Refusal } from '../../domain/model/refusal.ts';

/** Path prefix with the version of the API. */
export const API_PREFIX = '/api/v1';

/** Paths of the probes, outside the versioned API. */
export const HEALTH_PATHS = { alive: '/healthz', ready: '/readyz' } as const;

/** The default path of Prometheus. */
export const METRICS_PATH = '/metrics';

/** Paths of the API's documentation, for programs and for people. */
export const DOCUMENT_PATHS = { openApi: '/openapi.json', page: '/docs' } as const;

/**
 * Paths of the console and its script. `home` is served on the operators' port only.
 */
export const CONSOLE_PATHS = { home: '/', page: '/console', script: '/console.js' } as const;

/** An endpoint without a body, behind the guard and the query check. */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Allowed query parameters; others, and repeated ones, are rejected. */
  readonly queryParameters: readonly string[];
  handle(request: Request, response: Response): void | Promise<void>;
  /** Responds to a request that never reaches `handle`. */
  refuse(response: Response, refusal: Refusal): void | Promise<void>;
}

/**
 * A POST endpoint with a body, whose handler reserves memory, authenticates, limits the rate and
 * checks the query.
 */
export interface SigningRoute extends Pick<Route, 'path' | 'handle' | 'refuse'> {
  /** Rejects requests while the queue is full, without a line in the log. */
  readonly shed: RequestHandler;
}

/** The pattern of the matched route, without anything from the caller; null if none. */
export function getRoutePattern(request: Request): string | null {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? null;
}
