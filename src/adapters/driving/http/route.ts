import type { Request, Response } from 'express';
import type { HttpRefusal } from './http-refusal.ts';

/** What every path of the API begins with: the version. */
export const API_PREFIX = '/api/v1';

/** One endpoint of the specification. */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  handle(request: Request, response: Response): void | Promise<void>;
  /** Answers a request to this path that never gets to `handle`. */
  refuse(response: Response, refusal: HttpRefusal): void | Promise<void>;
}
