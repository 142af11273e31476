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

/** One endpoint. */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Names of the query parameters that it takes; others, and repeated ones, are rejected. */
  readonly queryParameters: readonly string[];
  /** What a request passes before anything else is done with it; nothing where it is not given. */
  readonly passBy?: RequestHandler;
  /**
   * `handle` has the request proved and counted, and checks its query, by itself, since it reads
   * its body; else that is done before.
   */
  readonly isAdmittedInside?: boolean;
  handle(request: Request, response: Response): void | Promise<void>;
  /** Answers a request to this path that never gets to `handle`. */
  refuse(response: Response, refusal: HttpRefusal): void | Promise<void>;
}
