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
    message: z.string().min(1).describe('For people; it may change.'),
    details: z.object(details),
  });
}

const ids = {
  platformId: z.string().describe('As it was sent.'),
  accountId: z.string().describe('As it was sent.'),
};

const budget = {
  limit: count.describe('Points in the bucket.'),
  windowSeconds: count.describe('In which an empty bucket fills up.'),
};

/** Refusals about accounts, platforms and data, by schema name in the OpenAPI document. */
export const ACCOUNT_REFUSALS = {
  AccountNotFound: refusalSchema('ACCOUNT_NOT_FOUND', ids),
  PlatformNotSupported: refusalSchema('PLATFORM_NOT_SUPPORTED', { platformId: ids.platformId }),
  InvalidDataFormat: refusalSchema('INVALID_DATA_FORMAT', {
    issues: z.array(issue).min(1).max(20).describe('Each field once. Never a value that was sent.'),
  }),
  AccountInactive: refusalSchema('ACCOUNT_INACTIVE', ids),
  PlatformInactive: refusalSchema('ACCOUNT_INACTIVE', { reason: z.literal('PLATFORM_DISABLED'), ...ids }),
  PermissionDenied: refusalSchema('FORBIDDEN', {
    reason: z.literal('PERMISSION_DENIED'),
    operation: extensibleEnum(OPERATIONS),
    principal: z.string().describe('As whom the caller is known; `anonymous` where it is not authenticated.'),
    platformId: ids.platformId.exactOptional().describe('Where it is about one account.'),
    accountId: ids.accountId.exactOptional().describe('Where it is about one account.'),
  }),
  VerificationForbidden: refusalSchema('FORBIDDEN', { reason: z.literal('VERIFICATION_FORBIDDEN'), ...ids }),
  PolicyDenied: refusalSchema('POLICY_DENIED', {
    ...ids,
    reason: z
      .enum(['DENIED_BY_POLICY', 'NOT_ALLOWED_BY_POLICY'])
      .describe('Whether a `deny` matched, or no `allow` of the account did.'),
    policies: z
      .array(z.string())
      .min(1)
      .max(20)
      .describe('The `deny` that matched, or all `allow` policies of the account.'),
  }),
  BudgetExceeded: refusalSchema('BUDGET_EXCEEDED', {
    ...ids,
    reason: z
      .enum(BUDGET_REASONS)
      .describe('Whether the request exceeds what is left, or its amount could not be decided.'),
    budgets: z.array(z.string()).min(1).max(20).describe('The budgets that refuse the request.'),
  }),
  BudgetUnavailable: refusalSchema('BUDGET_UNAVAILABLE', ids),
  AccountRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('account'),
    ...ids,
    retryAfterMs: z.number().describe('When there is room again, milliseconds.'),
    ...budget,
  }),
  SignatureFailed: refusalSchema('SIGNATURE_FAILED', ids),
  SignatureFaulty: refusalSchema('SIGNATURE_FAILED', { reason: z.literal('SIGNATURE_FAULTY'), ...ids }),
  AuditUnavailable: refusalSchema('SIGNATURE_FAILED', { reason: z.literal('AUDIT_UNAVAILABLE') }),
  ConfigLoadFailed: refusalSchema('CONFIG_LOAD_FAILED', {
    path: z.string().describe('The credentials file.'),
    issues: z.array(issue),
  }),
} as const;

const retryAfterSeconds = count.describe('As the header `Retry-After`.');

/** Refusals about requests, callers and the service, by schema name in the OpenAPI document. */
export const CALLER_REFUSALS = {
  NetworkNotAllowed: refusalSchema('FORBIDDEN', { reason: z.literal('NETWORK_NOT_ALLOWED') }),
  BrowserRequest: refusalSchema('FORBIDDEN', { reason: z.literal('BROWSER_REQUEST') }),
  ClientCertificateNotTaken: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(getNames(CERTIFICATE_MESSAGES)),
    problem: z
      .string()
      .exactOptional()
      .describe("With `CLIENT_CERTIFICATE_UNTRUSTED`: OpenSSL's name of what is wrong, or `CONNECT_AGAIN`."),
  }),
  Unauthenticated: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(getNames(AUTHENTICATION_MESSAGES)),
    serverTime: z.number().exactOptional().describe('With `TIME_OUT_OF_WINDOW`: Unix seconds.'),
  }),
  CallerRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('caller'),
    retryAfterMs: z.number().nullable().describe('When there is room again, milliseconds; null: never for so much.'),
    ...budget,
  }),
  AuthenticationRateLimited: refusalSchema('RATE_LIMITED', {
    scope: z.literal('authentication'),
    retryAfterMs: z.number().describe('When there is room again, milliseconds.'),
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
