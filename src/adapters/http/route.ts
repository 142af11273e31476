import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { JsonValue } from '../../domain/model/json.ts';
import type { Operation } from '../../domain/model/operations.ts';
import type { Outcome } from '../../domain/model/outcome.ts';
import type { CallContext, SignRequest } from '../../domain/model/sign-request.ts';

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
  /** Allowed query parameters; others, and repeated ones, are rejected. Default: none. */
  readonly queryParameters?: readonly string[];
  /** Validates their values. */
  readQuery?(query: Request['query']): Outcome<Query>;
  /** A JSON body whose items take permits of this kind. */
  readonly signing?: { readonly work: WorkKind; readonly schema: z.ZodType<Body & SigningBody> };
  handle(call: Call<Query, Body>): Handled | Promise<Handled>;
}

/** A row of the route table. GET includes HEAD; the body of a POST is read to its end. */
export interface Route extends Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
  /**
   * The permission of its callers: on the account that path or body name, else on any. `open`:
   * neither authentication, permission nor rate limit.
   */
  readonly operation: Operation | 'open';
  /** Whether pages of this service may request it. */
  readonly isPage?: boolean;
}

/** The pattern of the matched route, without anything from the caller; null if none. */
export function getRoutePattern(request: Request): string | null {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? null;
}
