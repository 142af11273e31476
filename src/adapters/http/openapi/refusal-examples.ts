import {
  accountInactive,
  accountNotFound,
  accountPermissionDenied,
  accountRateLimited,
  auditUnavailable,
  budgetExceeded,
  budgetUnavailable,
  configLoadFailed,
  invalidDataFormat,
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
  AccountNotFound: { when: 'No such account on that platform.', example: accountNotFound('alpha', 'ghost') },
  PlatformNotSupported: { when: 'No such platform.', example: platformNotSupported('omega') },
  InvalidDataFormat: {
    when: 'The request or its data is malformed; `issues` names each field.',
    example: invalidDataFormat([
      {
        path: 'accountId',
        message: 'is missing; it must be 1 to 128 letters, digits or . _ : @ + -, with a letter or digit first',
      },
    ]),
  },
  AccountInactive: { when: 'The account is disabled.', example: accountInactive('alpha', 'idle') },
  PlatformInactive: {
    when: 'The platform of the account is disabled, so none of its accounts signs.',
    example: platformInactive('delta', 'main'),
  },
  PermissionDenied: {
    when: 'The permissions list does not allow the caller this.',
    example: accountPermissionDenied('sign', 'alpha', 'main', 'desk-7'),
  },
  VerificationForbidden: {
    when: 'An HMAC signature is to be verified on a platform that does not allow it.',
    example: verificationForbidden('gamma', 'main'),
  },
  PolicyDenied: {
    when: 'A policy denies this request, or no policy of the account allows it.',
    example: policyDenied('alpha', 'main', 'allow', ['alpha-trade-only']),
  },
  BudgetExceeded: {
    when: "The request exceeds what is left of the account's budget.",
    example: budgetExceeded('alpha', 'main', 'OVER_BUDGET', ['alpha-daily']),
  },
  BudgetUnavailable: {
    when: "The account's budgets cannot be charged at the moment; nothing was signed.",
    example: budgetUnavailable('alpha', 'main'),
  },
  AccountRateLimited: {
    when: 'The account is to sign more often than `SIGNING_RATE_LIMIT_PER_ACCOUNT` allows.',
    example: accountRateLimited('alpha', 'main', BUDGET, 250),
  },
  SignatureFailed: {
    when: 'The signature could not be made or checked.',
    example: signatureFailed('alpha', 'main', undefined),
  },
  SignatureFaulty: {
    when: 'The signature was made and does not verify (`SIGNING_VERIFY_SIGNATURES`); it is not released.',
    example: signatureFaulty('alpha', 'main'),
  },
  AuditUnavailable: {
    when: 'The audit record could not be written, so nothing is released.',
    example: auditUnavailable(),
  },
  ConfigLoadFailed: {
    when: 'The credentials file can not be loaded, or the reload not be recorded; nothing was changed.',
    example: configLoadFailed('/etc/signing-service/credentials.json', [
      { path: 'accounts[0].algorithm', message: 'must be one of the algorithms of platform alpha: ed25519' },
    ]),
  },
  NetworkNotAllowed: {
    when: 'The caller is outside the networks that are served (`SIGNING_ALLOWED_NETWORKS`).',
    example: networkNotAllowed(),
  },
  BrowserRequest: { when: 'A page in a browser asks.', example: browserNotServed() },
  ClientCertificateNotTaken: {
    when: 'A client certificate is asked for (`SIGNING_TLS_CLIENT_CA_FILE`), and there is none that is taken.',
    example: unauthenticated('CLIENT_CERTIFICATE_REQUIRED', CERTIFICATE_MESSAGES.CLIENT_CERTIFICATE_REQUIRED),
  },
  Unauthenticated: {
    when: 'It is not known who calls (`SIGNING_AUTH`).',
    example: unauthenticated('TIME_OUT_OF_WINDOW', AUTHENTICATION_MESSAGES.TIME_OUT_OF_WINDOW, {
      serverTime: 1795164540.123,
    }),
  },
  CallerRateLimited: {
    when: 'The caller asks for more than `SIGNING_RATE_LIMIT_PER_CALLER` allows.',
    example: callerRateLimited(BUDGET, 250),
  },
  AuthenticationRateLimited: {
    when: "Too many proofs of who calls have failed from the caller's address.",
    example: authenticationRateLimited({ points: 600, windowSeconds: 60 }, 100),
  },
  RequestTooLarge: {
    when: 'The body is over 1,048,576 bytes.',
    example: requestTooLarge(MAX_BODY_BYTES),
  },
  HeadersTooLarge: { when: 'Request line and headers are over 16 KiB.', example: headersTooLarge() },
  RequestTimeout: {
    when: 'The request did not arrive in time (10 s headers, 30 s all).',
    example: requestTimeout(),
  },
  UnsupportedMediaType: {
    when: 'Not `application/json` in UTF-8, or compressed.',
    example: unsupportedMediaType(),
  },
  Overloaded: { when: 'More is asked for than can be done in time; nothing was done.', example: overloaded(1) },
  NotFound: { when: 'Nothing at this path.', example: notFound() },
  MethodNotAllowed: {
    when: 'The path takes other methods; the header `Allow` names them.',
    example: methodNotAllowed(['GET', 'HEAD']),
  },
  NotReady: {
    when: 'The service should be sent no requests now; `checks` says why.',
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
    when: 'It can not be told now whether a request with `Signing-Request-Auth` came before; nothing was done.',
    example: replayGuardUnavailable(1),
  },
  InternalError: { when: 'A fault of the service; its log has the cause.', example: internalError() },
};
