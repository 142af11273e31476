import {
  accountInactive,
  accountNotFound,
  accountRateLimited,
  auditUnavailable,
  budgetExceeded,
  budgetUnavailable,
  configLoadFailed,
  invalidDataFormat,
  permissionDenied,
  platformInactive,
  platformNotSupported,
  policyDenied,
  signatureFailed,
  signatureFaulty,
  verificationForbidden,
} from '../../../domain/model/refusal.ts';
import { MAX_BODY_BYTES } from '../admission/body-budget.ts';
import { CERTIFICATE_MESSAGES } from '../callers/client-certificate-check.ts';
import { AUTHENTICATION_MESSAGES, replayGuardUnavailable } from '../callers/request-authentication.ts';
import {
  authenticationRateLimited,
  browserNotServed,
  callerRateLimited,
  type HttpRefusal,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  networkNotAllowed,
  notFound,
  notReady,
  overloaded,
  requestTimeout,
  requestTooLarge,
  unauthenticated,
  unsupportedMediaType,
} from '../http-refusal.ts';
import type { RefusalName } from './components.ts';

/** A description and an example of a refusal. */
interface DocumentedRefusal {
  readonly when: string;
  readonly example: HttpRefusal;
}

const BUDGET = { points: 100, windowSeconds: 1 };

/** All refusals; the functions that make responses also make the examples. */
export const DOCUMENTED_REFUSALS: { readonly [Name in RefusalName]: DocumentedRefusal } = {
  AccountNotFound: { when: 'The platform has no such account.', example: accountNotFound('alpha', 'ghost') },
  PlatformNotSupported: { when: 'No such platform.', example: platformNotSupported('omega') },
  InvalidDataFormat: {
    when: 'The request or its data is invalid; `issues` lists each field.',
    example: invalidDataFormat([
      {
        path: 'accountId',
        message: 'is missing; it must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit',
      },
    ]),
  },
  AccountInactive: { when: 'The account is disabled.', example: accountInactive('alpha', 'idle') },
  PlatformInactive: {
    when: 'The platform of the account is disabled, so none of its accounts can sign.',
    example: platformInactive('delta', 'main'),
  },
  PermissionDenied: {
    when: 'No permission entry allows this operation for the caller.',
    example: permissionDenied('sign', 'desk-7', { platformId: 'alpha', accountId: 'main' }),
  },
  VerificationForbidden: {
    when: 'The platform does not allow callers to verify HMAC signatures.',
    example: verificationForbidden({ platformId: 'gamma', accountId: 'main', principal: 'desk-7' }),
  },
  PolicyDenied: {
    when: 'A policy of the account denies this request, or none allows it.',
    example: policyDenied({ platformId: 'alpha', accountId: 'main', principal: 'desk-7' }, 'allow', [
      'alpha-trade-only',
    ]),
  },
  BudgetExceeded: {
    when: "The request exceeds the account's remaining budget.",
    example: budgetExceeded({ platformId: 'alpha', accountId: 'main', principal: 'desk-7' }, 'OVER_BUDGET', [
      'alpha-daily',
    ]),
  },
  BudgetUnavailable: {
    when: "The account's budgets cannot be charged at the moment; nothing was signed.",
    example: budgetUnavailable('alpha', 'main'),
  },
  AccountRateLimited: {
    when: 'The account exceeds `SIGNING_RATE_LIMIT_PER_ACCOUNT`.',
    example: accountRateLimited('alpha', 'main', BUDGET, 250),
  },
  SignatureFailed: {
    when: 'The signature could not be created or verified.',
    example: signatureFailed('alpha', 'main', undefined),
  },
  SignatureFaulty: {
    when: 'The new signature does not verify (`SIGNING_VERIFY_SIGNATURES`), so it was not released.',
    example: signatureFaulty('alpha', 'main'),
  },
  AuditUnavailable: {
    when: 'The audit record could not be written, so nothing was released.',
    example: auditUnavailable(),
  },
  ConfigLoadFailed: {
    when: 'The credentials file could not be loaded, or the reload could not be recorded; nothing was changed.',
    example: configLoadFailed('/etc/signing-service/credentials.json', [
      { path: 'accounts[0].algorithm', message: 'must be one of the algorithms of platform alpha: ed25519' },
    ]),
  },
  NetworkNotAllowed: {
    when: 'The client address is not in an allowed network (`SIGNING_ALLOWED_NETWORKS`).',
    example: networkNotAllowed(),
  },
  BrowserRequest: { when: 'A web page sent the request.', example: browserNotServed() },
  ClientCertificateNotTaken: {
    when: 'A valid client certificate is required (`SIGNING_TLS_CLIENT_CA_FILE`).',
    example: unauthenticated('CLIENT_CERTIFICATE_REQUIRED', CERTIFICATE_MESSAGES.CLIENT_CERTIFICATE_REQUIRED),
  },
  Unauthenticated: {
    when: 'The caller is not authenticated (`SIGNING_AUTH`).',
    example: unauthenticated('TIME_OUT_OF_WINDOW', AUTHENTICATION_MESSAGES.TIME_OUT_OF_WINDOW, {
      serverTime: 1795164540.123,
    }),
  },
  CallerRateLimited: {
    when: 'The caller exceeds `SIGNING_RATE_LIMIT_PER_CALLER`.',
    example: callerRateLimited(BUDGET, 250),
  },
  AuthenticationRateLimited: {
    when: "Too many authentication attempts from the caller's address failed.",
    example: authenticationRateLimited({ points: 600, windowSeconds: 60 }, 100),
  },
  RequestTooLarge: {
    when: 'The body exceeds 1,048,576 bytes.',
    example: requestTooLarge(MAX_BODY_BYTES),
  },
  HeadersTooLarge: { when: 'The request line and headers exceed 16 KiB.', example: headersTooLarge() },
  RequestTimeout: {
    when: 'The request did not arrive in time: 10 s for the headers, 30 s in total.',
    example: requestTimeout(),
  },
  UnsupportedMediaType: {
    when: 'The body is not `application/json` in UTF-8, or is compressed.',
    example: unsupportedMediaType(),
  },
  Overloaded: { when: 'The service is overloaded; nothing was done.', example: overloaded(1) },
  NotFound: { when: 'Unknown path.', example: notFound() },
  MethodNotAllowed: {
    when: 'The path does not support this method; the header `Allow` lists the supported ones.',
    example: methodNotAllowed(['GET', 'HEAD']),
  },
  NotReady: {
    when: 'The service is not ready for requests; `checks` shows the reason.',
    example: notReady({
      checks: {
        keys: { ok: true, detail: 'accounts: 5' },
        audit: { ok: false, detail: 'ENOSPC: no space left on device' },
        selfTest: { ok: true },
        draining: { ok: true },
      },
      facts: { tls: null },
    }),
  },
  ReplayGuardUnavailable: {
    when: 'Replay protection for requests with `Signing-Request-Auth` is unavailable; nothing was done.',
    example: replayGuardUnavailable(1),
  },
  InternalError: { when: 'Internal error; the service log has the cause.', example: internalError() },
};
