import type { Issue } from '../../../domain/model/issue.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import type { Outcome } from '../../../domain/model/outcome.ts';
import type { RateBudget } from '../../../domain/model/rate-limit.ts';
import { invalidDataFormat, type RefusalCode } from '../../../domain/model/refusal.ts';

/** Every `error.code`: the specification's six, and those for what none of the six can name. */
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
 * The HTTP status of each error code (RFC 9110 §15; 429 and 431 are RFC 6585 §4 and §5, 423 is RFC
 * 4918 §11.3).
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

/** A "no" as callers see it: the domain's, or one that only HTTP has. */
export interface HttpRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: { readonly [name: string]: JsonValue };
  /** The error behind it, for the service log alone. */
  readonly cause?: unknown;
}

/** What was received, or why it is refused. */
export type Received<Value> = Outcome<Value, HttpRefusal>;

/** One thing is wrong with the request. An empty path stands for the whole of it. */
export function malformed(path: string, message: string): HttpRefusal {
  const issues: readonly Issue[] = [{ path, message }];
  return invalidDataFormat(issues);
}

/** The request line names another version of HTTP than 1.1 and 1.0, or none. */
export function otherHttpVersion(): HttpRefusal {
  return malformed('', 'must be of HTTP/1.1 or HTTP/1.0, and say so in its first line');
}

/** The body is larger than the specification allows. */
export function requestTooLarge(limitBytes: number): HttpRefusal {
  return {
    code: 'REQUEST_TOO_LARGE',
    message: `The request body is larger than ${limitBytes} bytes.`,
    details: { limitBytes },
  };
}

/** The headers are larger than the server reads. */
export function headersTooLarge(): HttpRefusal {
  return {
    code: 'HEADERS_TOO_LARGE',
    message: 'The request line and headers are larger, or more, than this service reads.',
    details: {},
  };
}

/** The request did not arrive completely in time. */
export function requestTimeout(): HttpRefusal {
  return { code: 'REQUEST_TIMEOUT', message: 'The request did not arrive completely in time.', details: {} };
}

/** The body is in a form that this service does not read. */
export function unsupportedMediaType(): HttpRefusal {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body must be sent as Content-Type application/json in UTF-8, without Content-Encoding.',
    details: { contentType: 'application/json', charset: 'utf-8', contentEncodings: ['identity'] },
  };
}

/** More is asked for than the service can do in time. Nothing was signed, verified or recorded. */
export function overloaded(retryAfterSeconds: number): HttpRefusal {
  return {
    code: 'OVERLOADED',
    message: 'The service has more to do than it can do in time; send the same request again later.',
    details: { retryAfterSeconds },
  };
}

/** The caller is outside the networks that are served. It is told no more. */
export function networkNotAllowed(): HttpRefusal {
  return {
    code: 'FORBIDDEN',
    message: 'This service answers to its internal network alone.',
    details: { reason: 'NETWORK_NOT_ALLOWED' },
  };
}

/** A page of another site sends it through the browser of an employee. */
export function pageNotServed(): HttpRefusal {
  return {
    code: 'FORBIDDEN',
    message: 'This service answers to programs, and to no page in a browser.',
    details: { reason: 'BROWSER_REQUEST' },
  };
}

/**
 * Nobody has shown who makes the request.
 * @param reason a stable code, for programs
 */
export function unauthenticated(reason: string, message: string, details: HttpRefusal['details'] = {}): HttpRefusal {
  return { code: 'UNAUTHENTICATED', message, details: { reason, ...details } };
}

/**
 * The caller asks for more than its budget has. Nothing was signed, verified or recorded.
 * @param retryAfterMs when there is enough again, milliseconds; null where so much is there never
 */
export function callerRateLimited({ points, windowSeconds }: RateBudget, retryAfterMs: number | null): HttpRefusal {
  const budget = `A caller may ask for ${points} signatures in ${windowSeconds} s (each other request counts as one)`;
  return {
    code: 'RATE_LIMITED',
    message:
      retryAfterMs === null
        ? `${budget}: this batch has more, and can never be signed as a whole; send it in smaller ones.`
        : `${budget}; send the same request again after details.retryAfterMs.`,
    details: { retryAfterMs, limit: points, windowSeconds, scope: 'caller' },
  };
}

/** Too many attempts from the caller's address to prove who calls have failed of late. */
export function authenticationRateLimited({ points, windowSeconds }: RateBudget, retryAfterMs: number): HttpRefusal {
  return {
    code: 'RATE_LIMITED',
    message: `More than ${points} attempts to authenticate failed from this address in ${windowSeconds} s; try again after details.retryAfterMs.`,
    details: { retryAfterMs, limit: points, windowSeconds, scope: 'authentication' },
  };
}

/** There is nothing at this path. */
export function notFound(): HttpRefusal {
  return { code: 'NOT_FOUND', message: 'This service has nothing at this path.', details: {} };
}

/** The path is served, with other methods. */
export function methodNotAllowed(allowed: readonly string[]): HttpRefusal {
  return {
    code: 'METHOD_NOT_ALLOWED',
    message: 'This path does not take this method; details.allowed names those that it takes.',
    details: { allowed },
  };
}

/** The service should be sent no requests now; `details` say why. */
export function notReady(details: HttpRefusal['details']): HttpRefusal {
  return {
    code: 'NOT_READY',
    message: 'This service is not ready; details.checks names what is missing.',
    details,
  };
}

/** Something went wrong that callers can do nothing about and learn nothing of. */
export function internalError(): HttpRefusal {
  return { code: 'INTERNAL_ERROR', message: 'The service met an unexpected error.', details: {} };
}

/**
 * `Retry-After` of a refusal, whole seconds and at least one (RFC 9110 §10.2.3); undefined for one
 * that says no time.
 */
export function retryAfterOf({ details }: HttpRefusal): number | undefined {
  const { retryAfterSeconds, retryAfterMs } = details;
  if (typeof retryAfterSeconds === 'number') return retryAfterSeconds;
  if (typeof retryAfterMs === 'number') return Math.max(1, Math.ceil(retryAfterMs / 1000));
  return undefined;
}
