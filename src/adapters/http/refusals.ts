import { z } from 'zod';
import type { AuthenticationIssue } from '../../domain/model/authentication.ts';
import { withoutUndefined } from '../../domain/model/json.ts';
import {
  ACCOUNT_REFUSALS,
  count,
  FORBIDDEN,
  fixedRow,
  RATE_LIMITED,
  type Refusal,
  rateLimit,
  refuser,
  retryAfterMs,
  row,
} from '../../domain/model/refusal.ts';
import { MAX_BODY_BYTES, MAX_HEADERS, MAX_WAIT_MS, TIMES } from './limits.ts';
import { API_PREFIX, ROUTES } from './route.ts';
import type { readinessFields } from './schemas/status-responses.ts';

const CERTIFICATE_MESSAGES = {
  CLIENT_CERTIFICATE_REQUIRED: 'A client certificate is required.',
  CLIENT_CERTIFICATE_UNTRUSTED: 'The client certificate is not trusted; details.problem shows the reason.',
  CLIENT_CERTIFICATE_NOT_LISTED: 'The client certificate is not on the list of allowed certificates.',
  CLIENT_CERTIFICATE_UNNAMED: 'The client certificate has no name that is valid for a caller.',
  FORWARDED_CERTIFICATE_MISSING: 'A client certificate is required, and the proxy forwarded none.',
  FORWARDED_CERTIFICATE_MALFORMED:
    'The proxy must forward exactly one client certificate, in the form of SIGNING_TLS_CLIENT_CERT_HEADER.',
  PROXY_CERTIFICATE_REFUSED:
    "The proxy's own client certificate is missing or not accepted; details.problem shows the reason.",
};

/** Why a client is not identified. */
export type ClientError = keyof typeof CERTIFICATE_MESSAGES;

const NO_AUTHORITY =
  'The client certificate was not issued by a trusted certificate authority, or an intermediate certificate is missing.';

/** Messages by OpenSSL error code. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NO_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NO_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NO_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', NO_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'The client certificate, or the certificate of one of its authorities, has expired.'],
  ['CERT_NOT_YET_VALID', 'The client certificate, or the certificate of one of its authorities, is not valid yet.'],
  [
    'INVALID_PURPOSE',
    'The client certificate, or the certificate of one of its authorities, is not for TLS clients (clientAuth).',
  ],
]);

const AUTHENTICATION_MESSAGES: {
  readonly [Reason in
    | 'AUTHENTICATION_REQUIRED'
    | 'MALFORMED'
    | Exclude<AuthenticationIssue, 'REPLAY_GUARD_UNAVAILABLE'>]: string;
} = {
  AUTHENTICATION_REQUIRED: 'The header Signing-Request-Auth is required.',
  MALFORMED: 'The header Signing-Request-Auth must be a canonically encoded RequestAuthInfo in base64.',
  UNKNOWN_AUTHORITY: 'The access token is not signed by a trusted authority. Request a new one from its issuer.',
  INVALID_SIGNATURE: 'The request signature in the header Signing-Request-Auth is invalid.',
  WRONG_SERVICE: 'The request is signed for a service with a different key.',
  TOKEN_EXPIRED: 'The access token has expired. Request a new one from its issuer.',
  TIME_OUT_OF_WINDOW:
    "The request time is too far from the service's time (details.serverTime), or before the start of replay protection.",
  REPLAYED: 'This nonce was already used. Sign each request with a new nonce.',
};

function getNames<Name extends string>(texts: { readonly [name in Name]: string }): readonly [Name, ...Name[]] {
  return Object.keys(texts) as [Name, ...Name[]];
}

const retryAfterSeconds = count.describe('Same as the header `Retry-After`.');

const UNAUTHENTICATED = { code: 'UNAUTHENTICATED', status: 401 };
const NOT_READY = { code: 'NOT_READY', status: 503, isRetryable: true };

/** All refusals, by schema name in the OpenAPI document: the domain's, and those of HTTP alone. */
export const REFUSALS = {
  ...ACCOUNT_REFUSALS,
  NetworkNotAllowed: row({
    ...FORBIDDEN,
    message: 'Access denied: the client address is not in an allowed network.',
    details: { reason: z.literal('NETWORK_NOT_ALLOWED') },
    when: 'The client address is not in an allowed network (`SIGNING_ALLOWED_NETWORKS`).',
    endpoints: ['all'],
    example: {},
  }),
  BrowserRequest: row({
    ...FORBIDDEN,
    message: 'Access denied: requests from web pages are not allowed.',
    details: { reason: z.literal('BROWSER_REQUEST') },
    when: 'A web page sent the request.',
    endpoints: ['all'],
    example: {},
  }),
  ClientCertificateNotTaken: row({
    ...UNAUTHENTICATED,
    challenge: 'TLS-Client-Certificate',
    message: ({ reason, problem = '' }) =>
      (reason === 'CLIENT_CERTIFICATE_UNTRUSTED' ? PROBLEMS.get(problem) : undefined) ?? CERTIFICATE_MESSAGES[reason],
    details: {
      reason: z.enum(getNames(CERTIFICATE_MESSAGES)),
      problem: z
        .string()
        .exactOptional()
        .describe(
          'With `CLIENT_CERTIFICATE_UNTRUSTED` and `PROXY_CERTIFICATE_REFUSED`: the OpenSSL error code. With `PROXY_CERTIFICATE_REFUSED` also one of the first four reasons.',
        ),
    },
    when: 'A valid client certificate is required (`SIGNING_TLS_CLIENT_CA_FILE`).',
    endpoints: ['guarded'],
    example: { reason: 'CLIENT_CERTIFICATE_REQUIRED' },
  }),
  Unauthenticated: row({
    ...UNAUTHENTICATED,
    challenge: 'Signing-Request-Auth',
    message: ({ reason }) => AUTHENTICATION_MESSAGES[reason],
    details: {
      reason: z.enum(getNames(AUTHENTICATION_MESSAGES)),
      serverTime: z
        .number()
        .exactOptional()
        .describe('With `TIME_OUT_OF_WINDOW`: time of the service in Unix seconds.'),
    },
    when: 'The caller is not authenticated (`SIGNING_AUTH`).',
    endpoints: ['guarded'],
    example: { reason: 'TIME_OUT_OF_WINDOW', serverTime: 1795164540.123 },
  }),
  CallerRateLimited: row({
    ...RATE_LIMITED,
    message: ({ limit, windowSeconds, retryAfterMs }) =>
      `Caller rate limit exceeded: ${limit} signatures in ${windowSeconds} s (any other request counts as one). ${
        retryAfterMs === null
          ? 'This batch alone exceeds the limit; send smaller batches.'
          : 'Retry the same request after details.retryAfterMs.'
      }`,
    details: {
      scope: z.literal('caller'),
      retryAfterMs: z
        .number()
        .nullable()
        .describe('Milliseconds to wait before a retry; null if the batch alone exceeds the limit.'),
      ...rateLimit,
    },
    when: 'The caller exceeds `SIGNING_RATE_LIMIT_PER_CALLER`.',
    endpoints: ['guarded'],
    example: { retryAfterMs: 250, limit: 100, windowSeconds: 1 },
  }),
  AuthenticationRateLimited: row({
    ...RATE_LIMITED,
    message: ({ limit, windowSeconds }) =>
      `More than ${limit} authentication attempts from this address failed in ${windowSeconds} s. Retry after details.retryAfterMs.`,
    details: { scope: z.literal('authentication'), retryAfterMs, ...rateLimit },
    when: "Too many authentication attempts from the caller's address failed.",
    endpoints: ['guarded'],
    example: { retryAfterMs: 100, limit: 600, windowSeconds: 60 },
  }),
  RequestTooLarge: fixedRow({
    code: 'REQUEST_TOO_LARGE',
    status: 413,
    message: `The request body is larger than ${MAX_BODY_BYTES} bytes.`,
    details: { limitBytes: count },
    when: `The body exceeds ${MAX_BODY_BYTES.toLocaleString('en')} bytes.`,
    endpoints: ['all'],
    fixedDetails: { limitBytes: MAX_BODY_BYTES },
  }),
  HeadersTooLarge: row({
    code: 'HEADERS_TOO_LARGE',
    status: 431,
    message: 'The request line and headers are too large, or there are too many headers.',
    details: {},
    when: `The request line and headers exceed 16 KiB, or there are more than ${MAX_HEADERS} headers.`,
    endpoints: ['all'],
    example: {},
  }),
  RequestTimeout: row({
    code: 'REQUEST_TIMEOUT',
    status: 408,
    message: 'The request did not arrive completely in time.',
    details: {},
    when: `The request did not arrive in time: ${TIMES.headersTimeout / 1000} s for the headers, ${TIMES.requestTimeout / 1000} s in total.`,
    endpoints: ['all'],
    example: {},
  }),
  UnsupportedMediaType: fixedRow({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    message: 'The body must be sent as Content-Type application/json in UTF-8, without Content-Encoding.',
    details: { contentType: z.string(), charset: z.string(), contentEncodings: z.array(z.string()) },
    when: 'The body is not `application/json` in UTF-8, or is compressed.',
    endpoints: ['withBody'],
    fixedDetails: { contentType: 'application/json', charset: 'utf-8', contentEncodings: ['identity'] },
  }),
  Overloaded: fixedRow({
    code: 'OVERLOADED',
    status: 503,
    isRetryable: true,
    message: 'The service is overloaded; nothing was done. Retry the same request after details.retryAfterSeconds.',
    details: { retryAfterSeconds },
    when: 'The service is overloaded; nothing was done.',
    endpoints: ['guarded'],
    fixedDetails: { retryAfterSeconds: MAX_WAIT_MS.single / 1000 },
  }),
  NotFound: row({
    code: 'NOT_FOUND',
    status: 404,
    message: `No endpoint has this path. The API is under ${API_PREFIX}, its documentation at ${ROUTES.getApiPage.path} of the main port.`,
    details: {},
    when: 'Unknown path.',
    endpoints: ['getAccount'],
    example: {},
  }),
  MethodNotAllowed: row({
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    message: 'This path does not support this method; details.allowed lists the supported ones.',
    details: { allowed: z.array(z.string()).min(1) },
    when: 'The path does not support this method; the header `Allow` lists the supported ones.',
    endpoints: [],
    example: { allowed: ['GET', 'HEAD'] },
  }),
  NotReady: row({
    ...NOT_READY,
    message: 'The service is not ready; details.checks shows which checks fail.',
    // Not loaded here: see REFUSAL_SCHEMAS.
    details: {} as typeof readinessFields,
    when: 'The service is not ready for requests; `checks` shows the reason.',
    endpoints: ['isReady'],
    example: {
      checks: {
        keys: { ok: true, detail: 'accounts: 5' },
        audit: { ok: false, detail: 'ENOSPC: no space left on device' },
        selfTest: { ok: true },
        draining: { ok: true },
      },
      facts: { tls: null },
    },
  }),
  ReplayGuardUnavailable: fixedRow({
    ...NOT_READY,
    message:
      'Replay protection is unavailable, so nothing was done. Sign the request again with a new nonce, and retry after details.retryAfterSeconds.',
    details: { reason: z.literal('REPLAY_GUARD_UNAVAILABLE'), retryAfterSeconds },
    when: 'Replay protection for requests with `Signing-Request-Auth` is unavailable; nothing was done.',
    endpoints: ['guarded'],
    fixedDetails: { reason: 'REPLAY_GUARD_UNAVAILABLE', retryAfterSeconds: 1 },
  }),
  InternalError: row({
    code: 'INTERNAL_ERROR',
    status: 500,
    isFailure: true,
    message: 'Internal error; the service log has the cause.',
    details: {},
    when: 'Internal error; the service log has the cause.',
    endpoints: ['all'],
    example: {},
  }),
} as const;

/** See {@link REFUSALS}. */
export type RefusalName = keyof typeof REFUSALS;

/** All names, in the order of {@link REFUSALS}. */
export const REFUSAL_NAMES = Object.keys(REFUSALS) as readonly RefusalName[];

/** Refusals with this scope, such as an endpoint's id. */
export function refusalsOf(scope: string): readonly RefusalName[] {
  return REFUSAL_NAMES.filter((name) => (REFUSALS[name].endpoints as readonly string[]).includes(scope));
}

/** Makes a refusal of {@link REFUSALS}. */
export const refuseRequest = refuser(REFUSALS);

/** `INVALID_DATA_FORMAT` with one issue; an empty path means the whole request. */
export function malformed(path: string, message: string): Refusal {
  return refuseRequest('InvalidDataFormat', { issues: [{ path, message }] });
}

/** A refusal as callers see it. */
export type ResponseError = Pick<Refusal, 'code' | 'message' | 'details'>;

/** A refusal as callers see it. */
export function toError({ code, message, details }: Refusal): ResponseError {
  return { code, message, details };
}

/** The headers that follow from a refusal. */
export function toHeaders({ details, row }: Refusal): { readonly [name: string]: string | number } {
  const { retryAfterSeconds, retryAfterMs, allowed } = details;
  // In whole seconds, at least 1 (RFC 9110 §10.2.3).
  const ofMs = typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1000)) : undefined;
  return withoutUndefined<string | number>({
    'Retry-After': typeof retryAfterSeconds === 'number' ? retryAfterSeconds : ofMs,
    Allow: Array.isArray(allowed) ? allowed.join(', ') : undefined,
    'WWW-Authenticate': row.challenge,
  });
}
