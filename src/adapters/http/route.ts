import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { JsonValue } from '../../domain/model/json.ts';
import type { Operation } from '../../domain/model/operations.ts';
import type { Outcome } from '../../domain/model/refusal.ts';
import type { CallContext, SignRequest } from '../../domain/model/sign-request.ts';

/** Path prefix with the version of the API. */
export const API_PREFIX = '/api/v1';

/** A row of the route table: what the gate and the API's documentation follow from. */
export interface RouteRow {
  /** GET includes HEAD; the body of a POST is read to its end. */
  readonly method: 'get' | 'post';
  readonly path: string;
  /**
   * The permission of its callers: on the account that path or body name, else on any. `open`:
   * neither authentication, permission nor rate limit.
   */
  readonly operation: Operation | 'open';
  /** Whether the console's page requests it, and so a browser may. */
  readonly isForConsole?: boolean;
}

/** Every endpoint, by its id in the OpenAPI document. Metrics are open on the operators' port. */
export const ROUTES = {
  sign: { method: 'post', path: `${API_PREFIX}/sign`, operation: 'sign' },
  signBatch: { method: 'post', path: `${API_PREFIX}/sign/batch`, operation: 'sign' },
  verify: { method: 'post', path: `${API_PREFIX}/verify`, operation: 'verify' },
  listAccounts: { method: 'get', path: `${API_PREFIX}/accounts`, operation: 'read', isForConsole: true },
  getAccount: { method: 'get', path: `${API_PREFIX}/accounts/:platformId/:accountId`, operation: 'read' },
  reloadConfiguration: { method: 'post', path: `${API_PREFIX}/config/reload`, operation: 'reload' },
  getStatus: { method: 'get', path: `${API_PREFIX}/status`, operation: 'status', isForConsole: true },
  getMetrics: { method: 'get', path: '/metrics', operation: 'status' },
  isAlive: { method: 'get', path: '/healthz', operation: 'open' },
  isReady: { method: 'get', path: '/readyz', operation: 'open', isForConsole: true },
  getApiDocument: { method: 'get', path: '/openapi.json', operation: 'open' },
  getApiPage: { method: 'get', path: '/docs', operation: 'open' },
  // For people, so not in the document; its home needs a port of its own.
  console: { method: 'get', path: '/console', operation: 'status', isForConsole: true },
  consoleHome: { method: 'get', path: '/', operation: 'status', isForConsole: true },
  consoleScript: { method: 'get', path: '/console.js', operation: 'status', isForConsole: true },
  consoleStyles: { method: 'get', path: '/console.css', operation: 'status', isForConsole: true },
} as const satisfies { readonly [id: string]: RouteRow };

/** One signature or verification, or a batch of signatures. */
export type WorkKind = 'single' | 'batch';

/** The body of a request to sign or verify, or of a batch. */
export type SigningBody = SignRequest | { readonly requests: readonly SignRequest[] };

/** A request that has passed the gate. */
export interface Call<Query, Body> {
  readonly request: Request;
  readonly response: Response;
  readonly context: CallContext;
  readonly query: Query;
  /** Undefined without a schema. */
  readonly body: Body;
}

/** The data of the response or a refusal; undefined if the handler has responded. */
export type Handled = Outcome<JsonValue> | undefined;

/** How a route reads and serves requests. */
export interface Endpoint<Query = unknown, Body = unknown> {
  /** Query parameters; others, and repeated ones, are rejected. Default: none. */
  readonly query?: z.ZodObject & z.ZodType<Query>;
  /** A JSON body whose items take permits of this kind. */
  readonly signing?: { readonly work: WorkKind; readonly schema: z.ZodType<Body & SigningBody> };
  handle(call: Call<Query, Body>): Handled | Promise<Handled>;
}

/** An endpoint in its place. */
export interface Route extends RouteRow, Endpoint {}

/** The pattern of the matched route, without anything from the caller; null if none. */
export function getRoutePattern(request: Request): string | null {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? null;
}
