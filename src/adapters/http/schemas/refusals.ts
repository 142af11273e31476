import { z } from 'zod';
import { OPERATIONS } from '../../../domain/model/permissions.ts';
import { BUDGET_REASONS } from '../../../domain/model/refusal.ts';
import { CERTIFICATE_MESSAGES } from '../callers/client-certificate-check.ts';
import { AUTHENTICATION_MESSAGES } from '../callers/request-authentication.ts';
import type { ErrorCode } from '../http-refusal.ts';
import { issue } from './reload-responses.ts';
import { count, extensibleEnum } from './response-fields.ts';
import { readinessFields } from './status-responses.ts';

/** `error` of a response, with the details of its code. */
export function refusalSchema<Details extends z.ZodRawShape>(code: ErrorCode, details: Details) {
  return z.object({
    code: z.literal(code),
    message: z.string().min(1).describe('Human-readable; may change.'),
    details: z.object(details),
  });
}

const ids = {
  platformId: z.string().describe('As sent in the request.'),
  accountId: z.string().describe('As sent in the request.'),
};

const principal = z.string().describe('Name under which the caller is known; `anonymous` if it is not authenticated.');

const budget = {
  limit: count.describe('Capacity of the token bucket.'),
  windowSeconds: count.describe('Seconds in which an empty bucket fills up.'),
};

/** Refusals about accounts, platforms and data, by schema name in the OpenAPI document. */
export const ACCOUNT_REFUSALS = {
  AccountNotFound: refusalSchema('ACCOUNT_NOT_FOUND', ids),
  PlatformNotSupported: refusalSchema('PLATFORM_NOT_SUPPORTED', { platformId: ids.platformId }),
  InvalidDataFormat: refusalSchema('INVALID_DATA_FORMAT', {
    issues: z
      .array(issue)
      .min(1)
      .max(20)
      .describe('At most one issue per field. Never contains a value of the request.'),
  }),
  AccountInactive: refusalSchema('ACCOUNT_INACTIVE', ids),
  PlatformInactive: refusalSchema('ACCOUNT_INACTIVE', { reason: z.literal('PLATFORM_DISABLED'), ...ids }),
  PermissionDenied: refusalSchema('FORBIDDEN', {
    reason: z.literal('PERMISSION_DENIED'),
    operation: extensibleEnum(OPERATIONS),
    principal,
    platformId: ids.platformId.exactOptional().describe('Only if the operation concerns one account.'),
    accountId: ids.accountId.exactOptional().describe('Only if the operation concerns one account.'),
  }),
  VerificationForbidden: refusalSchema('FORBIDDEN', { reason: z.literal('VERIFICATION_FORBIDDEN'), ...ids, principal }),
  PolicyDenied: refusalSchema('POLICY_DENIED', {
    ...{ ...ids, principal },
    reason: z
      .enum(['DENIED_BY_POLICY', 'NOT_ALLOWED_BY_POLICY'])
      .describe('A `deny` policy matched, or no `allow` policy of the account matched.'),
    policies: z
      .array(z.string())
      .min(1)
      .max(20)
      .describe('The `deny` policy that matched, or the `allow` policies of the account.'),
  }),
  BudgetExceeded: refusalSchema('BUDGET_EXCEEDED', {
    ...{ ...ids, principal },
    reason: z
      .enum(BUDGET_REASONS)
      .describe('The request exceeds the remaining budget, or its amount cannot be determined.'),
    budgets: z.array(z.string()).min(1).max(20).describe('Budgets that deny the request.'),
  }),
  BudgetUnavailable: refusalSchema('BUDGET_UNAVAILABLE', ids),
  AccountRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('account'),
    ...ids,
    retryAfterMs: z.number().describe('Milliseconds to wait before a retry.'),
    ...budget,
  }),
  SignatureFailed: refusalSchema('SIGNATURE_FAILED', ids),
  SignatureFaulty: refusalSchema('SIGNATURE_FAILED', { reason: z.literal('SIGNATURE_FAULTY'), ...ids }),
  AuditUnavailable: refusalSchema('SIGNATURE_FAILED', { reason: z.literal('AUDIT_UNAVAILABLE') }),
  ConfigLoadFailed: refusalSchema('CONFIG_LOAD_FAILED', {
    path: z.string().describe('Path of the credentials file.'),
    issues: z.array(issue),
  }),
} as const;

const retryAfterSeconds = count.describe('Same as the header `Retry-After`.');

/** Refusals about requests, callers and the service, by schema name in the OpenAPI document. */
export const CALLER_REFUSALS = {
  NetworkNotAllowed: refusalSchema('FORBIDDEN', { reason: z.literal('NETWORK_NOT_ALLOWED') }),
  BrowserRequest: refusalSchema('FORBIDDEN', { reason: z.literal('BROWSER_REQUEST') }),
  ClientCertificateNotTaken: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(getNames(CERTIFICATE_MESSAGES)),
    problem: z
      .string()
      .exactOptional()
      .describe(
        'With `CLIENT_CERTIFICATE_UNTRUSTED` and `PROXY_CERTIFICATE_REFUSED`: the OpenSSL error code, or `CONNECT_AGAIN`. With `PROXY_CERTIFICATE_REFUSED` also one of the first four reasons.',
      ),
  }),
  Unauthenticated: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(getNames(AUTHENTICATION_MESSAGES)),
    serverTime: z.number().exactOptional().describe('With `TIME_OUT_OF_WINDOW`: time of the service in Unix seconds.'),
  }),
  CallerRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('caller'),
    retryAfterMs: z
      .number()
      .nullable()
      .describe('Milliseconds to wait before a retry; null if the batch alone exceeds the limit.'),
    ...budget,
  }),
  AuthenticationRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('authentication'),
    retryAfterMs: z.number().describe('Milliseconds to wait before a retry.'),
    ...budget,
  }),
  RequestTooLarge: refusalSchema('REQUEST_TOO_LARGE', { limitBytes: count }),
  HeadersTooLarge: refusalSchema('HEADERS_TOO_LARGE', {}),
  RequestTimeout: refusalSchema('REQUEST_TIMEOUT', {}),
  UnsupportedMediaType: refusalSchema('UNSUPPORTED_MEDIA_TYPE', {
    contentType: z.string(),
    charset: z.string(),
    contentEncodings: z.array(z.string()),
  }),
  Overloaded: refusalSchema('OVERLOADED', { retryAfterSeconds }),
  NotFound: refusalSchema('NOT_FOUND', {}),
  MethodNotAllowed: refusalSchema('METHOD_NOT_ALLOWED', { allowed: z.array(z.string()).min(1) }),
  NotReady: refusalSchema('NOT_READY', readinessFields),
  ReplayGuardUnavailable: refusalSchema('NOT_READY', {
    reason: z.literal('REPLAY_GUARD_UNAVAILABLE'),
    retryAfterSeconds,
  }),
  InternalError: refusalSchema('INTERNAL_ERROR', {}),
} as const;

function getNames<Name extends string>(texts: { readonly [name in Name]: string }): readonly [Name, ...Name[]] {
  return Object.keys(texts) as [Name, ...Name[]];
}
