import type { JsonObject } from './types.ts';

/** Discriminates the client's errors. */
export type ErrorKind = 'service' | 'network' | 'timeout' | 'protocol' | 'untrusted' | 'verification';

/**
 * Base of all errors of a call. Invalid arguments and options throw a TypeError or RangeError
 * before anything is sent.
 */
export abstract class SigningClientError extends Error {
  /** See {@link ErrorKind}. */
  abstract readonly kind: ErrorKind;
  /** `X-Request-Id` of the call, as in the service log and the audit log. */
  readonly requestId: string;
  /**
   * Whether the service may have executed (signed and recorded) the request although no result
   * arrived.
   */
  readonly mayHaveBeenDone: boolean;

  constructor(message: string, { requestId, mayHaveBeenDone, cause }: ErrorContext) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.requestId = requestId;
    this.mayHaveBeenDone = mayHaveBeenDone;
  }
}

/** Context of a failed call. */
export interface ErrorContext {
  readonly requestId: string;
  readonly mayHaveBeenDone: boolean;
  readonly cause?: unknown;
}

/**
 * No complete response: connection refused or broken, untrusted certificate. `cause` is Node's
 * error.
 */
export class NetworkError extends SigningClientError {
  override readonly kind = 'network';
}

/**
 * The response is not the signing service's: not JSON, no envelope, missing fields, or longer than
 * `maxAnswerBytes`.
 */
export class ProtocolError extends SigningClientError {
  override readonly kind = 'protocol';
  /** HTTP status of the response. */
  readonly status: number;

  constructor(message: string, status: number, context: ErrorContext) {
    super(message, context);
    this.status = status;
  }
}

/** An error response of the service. */
export interface Refusal<Code extends string> {
  readonly code: Code;
  readonly message: string;
  readonly details: DetailsOf<Code>;
  readonly status: number;
  readonly retryAfterMs: number | null;
}

/**
 * The service refused the request. {@link isServiceError} narrows the code and types the details.
 */
export class ServiceError<Code extends string = string> extends SigningClientError {
  override readonly kind = 'service';
  /** One of `ERROR_CODES`, or one of a later service. */
  readonly code: Code;
  /** HTTP status, 400 to 599. */
  readonly status: number;
  readonly details: DetailsOf<Code>;
  /** Milliseconds until a retry may succeed; null if the service gives no time. */
  readonly retryAfterMs: number | null;

  constructor({ code, message, details, status, retryAfterMs }: Refusal<Code>, context: ErrorContext) {
    super(`${code}: ${message}`, context);
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Whether a caught value is a ServiceError, with this code if given.
 *
 * @example if (isServiceError(error, 'ACCOUNT_INACTIVE')) pause(error.details.accountId);
 */
export function isServiceError(error: unknown): error is ServiceError;
export function isServiceError<Code extends ErrorCode>(error: unknown, code: Code): error is ServiceError<Code>;
export function isServiceError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}

/** Connecting (`connectTimeoutMs`), or the call with its retries (`timeoutMs`). */
export type TimedPhase = 'connect' | 'call';

/** The response did not arrive in time. */
export class TimeoutError extends SigningClientError {
  override readonly kind = 'timeout';
  readonly phase: TimedPhase;

  constructor(phase: TimedPhase, milliseconds: number, context: ErrorContext) {
    const what = phase === 'connect' ? 'No connection' : 'No response';
    super(`${what} within ${milliseconds} ms.`, context);
    this.phase = phase;
  }
}

/** Why a response is not trusted (docs/callers/authentication.md). */
export type UntrustedReason =
  | 'UNSIGNED'
  | 'MALFORMED'
  | 'UNKNOWN_AUTHORITY'
  | 'WRONG_SERVICE'
  | 'TOKEN_EXPIRED'
  | 'WRONG_NONCE'
  | 'INVALID_SIGNATURE';

/**
 * A response without valid authentication. 401 responses are never signed, so they are reported as
 * this error.
 */
export class UntrustedAnswerError extends SigningClientError {
  override readonly kind = 'untrusted';
  readonly reason: UntrustedReason;
  /** The error that the response claims. Unauthenticated: useful for diagnosis, proves nothing. */
  readonly claimed: ServiceError | null;

  constructor(reason: UntrustedReason, claimed: ServiceError | null, context: ErrorContext) {
    const claim = claimed === null ? '' : ` It reports ${claimed.status} ${claimed.message}${formatReason(claimed)}`;
    super(`The response is not authenticated (${reason}).${claim}`, context);
    this.reason = reason;
    this.claimed = claimed;
  }
}

function formatReason({ details }: ServiceError): string {
  const reason = details['reason'];
  return typeof reason === 'string' ? ` (${reason})` : '';
}

/** Why a signature is rejected. */
export type VerificationReason =
  | 'KEY_CHANGED'
  | 'KEY_NOT_PINNED'
  | 'WRONG_ALGORITHM'
  | 'WRONG_PAYLOAD'
  | 'WRONG_SIGNATURE'
  | 'NOT_VERIFIABLE';

/** Details of a rejected signature. */
export interface VerificationIssue {
  readonly reason: VerificationReason;
  readonly platformId: string;
  readonly accountId: string;
  readonly message: string;
  readonly pinnedKey?: string;
  readonly receivedKey?: string;
  readonly cause?: unknown;
}

/**
 * A signature that must not be used: another key than pinned, another payload, invalid, or not
 * verifiable.
 */
export class VerificationError extends SigningClientError {
  override readonly kind = 'verification';
  readonly reason: VerificationReason;
  readonly platformId: string;
  readonly accountId: string;
  /** The pinned key of the account; null if none. */
  readonly pinnedKey: string | null;
  /** The key in the response; null if none. */
  readonly receivedKey: string | null;

  constructor(issue: VerificationIssue, requestId: string) {
    const { reason, platformId, accountId, message, cause } = issue;
    super(`${platformId}/${accountId}: ${message}`, { requestId, mayHaveBeenDone: true, cause });
    this.reason = reason;
    this.platformId = platformId;
    this.accountId = accountId;
    this.pinnedKey = issue.pinnedKey ?? null;
    this.receivedKey = issue.receivedKey ?? null;
  }
}

/**
 * Error codes of API version 1. Treat unknown codes by their HTTP status. Written by `npm run
 * generate`.
 */
export const ERROR_CODES = [
  'ACCOUNT_NOT_FOUND',
  'PLATFORM_NOT_SUPPORTED',
  'INVALID_DATA_FORMAT',
  'ACCOUNT_INACTIVE',
  'FORBIDDEN',
  'POLICY_DENIED',
  'BUDGET_EXCEEDED',
  'BUDGET_UNAVAILABLE',
  'RATE_LIMITED',
  'SIGNATURE_FAILED',
  'CONFIG_LOAD_FAILED',
  'UNAUTHENTICATED',
  'REQUEST_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'UNSUPPORTED_MEDIA_TYPE',
  'OVERLOADED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_READY',
  'INTERNAL_ERROR',
] as const;

/** See {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An invalid field: `path` such as `data.instruction.price`, and a human-readable `message`. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/**
 * Guaranteed members of `details` by code (docs/callers/api.md has all). Typed as documented, not
 * validated.
 */
export interface DetailsOfCode {
  readonly ACCOUNT_NOT_FOUND: { readonly platformId: string; readonly accountId: string };
  readonly ACCOUNT_INACTIVE: { readonly platformId: string; readonly accountId: string };
  readonly PLATFORM_NOT_SUPPORTED: { readonly platformId: string };
  readonly INVALID_DATA_FORMAT: { readonly issues: readonly FieldIssue[] };
  readonly CONFIG_LOAD_FAILED: { readonly path: string; readonly issues: readonly FieldIssue[] };
  /** Requests that are refused before authentication have no `principal`. */
  readonly FORBIDDEN: { readonly reason: string; readonly principal?: string };
  /** Older services send no `principal`, here and below. */
  readonly POLICY_DENIED: {
    readonly reason: string;
    readonly policies: readonly string[];
    readonly principal?: string;
  };
  readonly BUDGET_EXCEEDED: {
    readonly reason: string;
    readonly budgets: readonly string[];
    readonly principal?: string;
  };
  readonly BUDGET_UNAVAILABLE: { readonly platformId: string; readonly accountId: string };
  readonly UNAUTHENTICATED: { readonly reason: string };
  readonly RATE_LIMITED: { readonly scope: string; readonly retryAfterMs: number | null; readonly limit: number };
  readonly REQUEST_TOO_LARGE: { readonly limitBytes: number };
  readonly METHOD_NOT_ALLOWED: { readonly allowed: readonly string[] };
}

/** `details` of an error with this code. */
export type DetailsOf<Code extends string> = Code extends keyof DetailsOfCode
  ? DetailsOfCode[Code] & JsonObject
  : JsonObject;
