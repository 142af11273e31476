import type { JsonValue } from '../../domain/model/json.ts';
import type { Outcome } from '../../domain/model/outcome.ts';
import { type Issue, invalidDataFormat, type RateBudget, type RefusalCode } from '../../domain/model/refusal.ts';
import { API_PREFIX, DOCUMENT_PATHS } from './route.ts';

/** Every `error.code`: the specification's six, and codes for what those cannot express. */
export type ErrorCode =
  | RefusalCode
  | 'UNAUTHENTICATED'
  | 'REQUEST_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'REQUEST_TIMEOUT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'OVERLOADED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_READY'
  | 'INTERNAL_ERROR';

/**
 * HTTP status of each error code (RFC 9110 §15; 429, 431: RFC 6585 §4, §5; 423: RFC 4918 §11.3).
 */
export const STATUS_OF_CODE: { readonly [Code in ErrorCode]: number } = {
  ACCOUNT_NOT_FOUND: 404,
  PLATFORM_NOT_SUPPORTED: 400,
  INVALID_DATA_FORMAT: 400,
  SIGNATURE_FAILED: 500,
  CONFIG_LOAD_FAILED: 500,
  ACCOUNT_INACTIVE: 423,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  POLICY_DENIED: 403,
  BUDGET_EXCEEDED: 403,
  BUDGET_UNAVAILABLE: 503,
  RATE_LIMITED: 429,
  REQUEST_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  REQUEST_TIMEOUT: 408,
  UNSUPPORTED_MEDIA_TYPE: 415,
  OVERLOADED: 503,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_READY: 503,
  INTERNAL_ERROR: 500,
};

/** A refusal as callers see it: the domain's, or one of HTTP alone. */
export interface HttpRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: { readonly [name: string]: JsonValue };
  /** The underlying error, for the service log only. */
  readonly cause?: unknown;
}

/** A received value, or the refusal of it. */
export type Received<Value> = Outcome<Value, HttpRefusal>;

/** One issue with the request; an empty path means the whole request. */
export function malformed(path: string, message: string): HttpRefusal {
  const issues: readonly Issue[] = [{ path, message }];
  return invalidDataFormat(issues);
}

/** The HTTP version is missing or neither 1.1 nor 1.0. */
export function otherHttpVersion(): HttpRefusal {
  return malformed('', 'must be an HTTP/1.1 or HTTP/1.0 request, with the version in the request line');
}

/** The body is larger than the limit. */
export function requestTooLarge(limitBytes: number): HttpRefusal {
  return {
    code: 'REQUEST_TOO_LARGE',
    message: `The request body is larger than ${limitBytes} bytes.`,
    details: { limitBytes },
  };
}

/** The request line and headers are larger than the server reads. */
export function headersTooLarge(): HttpRefusal {
  return {
    code: 'HEADERS_TOO_LARGE',
    message: 'The request line and headers are too large, or there are too many headers.',
    details: {},
  };
}

/** The request did not arrive completely in time. */
export function requestTimeout(): HttpRefusal {
  return { code: 'REQUEST_TIMEOUT', message: 'The request did not arrive completely in time.', details: {} };
}

/** The body has another media type, charset or encoding than UTF-8 JSON. */
export function unsupportedMediaType(): HttpRefusal {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body must be sent as Content-Type application/json in UTF-8, without Content-Encoding.',
    details: { contentType: 'application/json', charset: 'utf-8', contentEncodings: ['identity'] },
  };
}

/** No capacity. Nothing was signed, verified or recorded. */
export function overloaded(retryAfterSeconds: number): HttpRefusal {
  return {
    code: 'OVERLOADED',
    message: 'The service is overloaded; nothing was done. Retry the same request after details.retryAfterSeconds.',
    details: { retryAfterSeconds },
  };
}

/** The caller is outside the allowed networks. */
export function networkNotAllowed(): HttpRefusal {
  return {
    code: 'FORBIDDEN',
    message: 'Access denied: the client address is not in an allowed network.',
    details: { reason: 'NETWORK_NOT_ALLOWED' },
  };
}

/** A web page made the request through a browser. */
export function browserNotServed(): HttpRefusal {
  return {
    code: 'FORBIDDEN',
    message: 'Access denied: requests from web pages are not allowed.',
    details: { reason: 'BROWSER_REQUEST' },
  };
}

/**
 * The caller is not authenticated.
 * @param reason a stable code
 */
export function unauthenticated(reason: string, message: string, details: HttpRefusal['details'] = {}): HttpRefusal {
  return { code: 'UNAUTHENTICATED', message, details: { reason, ...details } };
}

/**
 * The caller's budget is exhausted. Nothing was signed, verified or recorded.
 * @param retryAfterMs milliseconds; null if the batch can never fit
 */
export function callerRateLimited({ points, windowSeconds }: RateBudget, retryAfterMs: number | null): HttpRefusal {
  const limit = `Caller rate limit exceeded: ${points} signatures in ${windowSeconds} s (any other request counts as one)`;
  return {
    code: 'RATE_LIMITED',
    message:
      retryAfterMs === null
        ? `${limit}. This batch alone exceeds the limit; send smaller batches.`
        : `${limit}. Retry the same request after details.retryAfterMs.`,
    details: { retryAfterMs, limit: points, windowSeconds, scope: 'caller' },
  };
}

/** Too many failed authentication attempts from the caller's address. */
export function authenticationRateLimited({ points, windowSeconds }: RateBudget, retryAfterMs: number): HttpRefusal {
  return {
    code: 'RATE_LIMITED',
    message: `More than ${points} authentication attempts from this address failed in ${windowSeconds} s. Retry after details.retryAfterMs.`,
    details: { retryAfterMs, limit: points, windowSeconds, scope: 'authentication' },
  };
}

/** No route has this path. */
export function notFound(): HttpRefusal {
  return {
    code: 'NOT_FOUND',
    message: `No endpoint has this path. The API is under ${API_PREFIX}, its documentation at ${DOCUMENT_PATHS.page} of the main port.`,
    details: {},
  };
}

/** The path exists with other methods. */
export function methodNotAllowed(allowed: readonly string[]): HttpRefusal {
  return {
    code: 'METHOD_NOT_ALLOWED',
    message: 'This path does not support this method; details.allowed lists the supported ones.',
    details: { allowed },
  };
}

/** The service is not ready; `details` say why. */
export function notReady(details: HttpRefusal['details']): HttpRefusal {
  return {
    code: 'NOT_READY',
    message: 'The service is not ready; details.checks shows which checks fail.',
    details,
  };
}

/** An unexpected error, without its cause. */
export function internalError(): HttpRefusal {
  return { code: 'INTERNAL_ERROR', message: 'Internal error; the service log has the cause.', details: {} };
}

/** `Retry-After` in whole seconds, at least 1 (RFC 9110 §10.2.3), if known. */
export function getRetryAfter({ details }: HttpRefusal): number | undefined {
  const { retryAfterSeconds, retryAfterMs } = details;
  if (typeof retryAfterSeconds === 'number') return retryAfterSeconds;
  if (typeof retryAfterMs === 'number') return Math.max(1, Math.ceil(retryAfterMs / 1000));
  return undefined;
}
