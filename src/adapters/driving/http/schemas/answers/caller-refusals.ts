import { z } from 'zod';
import { PROOF_MESSAGES } from '../../authentication/authentication-refusals.ts';
import { CERTIFICATE_MESSAGES } from '../../callers/client-certificate-check.ts';
import { count } from './answer-fields.ts';
import { readinessFields } from './health-answers.ts';
import { refusalSchema } from './refusal-schema.ts';

const budget = {
  limit: count.describe('Points in the bucket.'),
  windowSeconds: count.describe('In which an empty bucket fills up.'),
};

const retryAfterSeconds = count.describe('As the header `Retry-After`.');

/** Refusals that have to do with the request as such, with its caller and with the service, under the names of their schemas in the published document. */
export const CALLER_REFUSALS = {
  NetworkNotAllowed: refusalSchema('FORBIDDEN', { reason: z.literal('NETWORK_NOT_ALLOWED') }),
  BrowserRequest: refusalSchema('FORBIDDEN', { reason: z.literal('BROWSER_REQUEST') }),
  ClientCertificateNotTaken: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(namesOf(CERTIFICATE_MESSAGES)),
    problem: z
      .string()
      .exactOptional()
      .describe("With `CLIENT_CERTIFICATE_UNTRUSTED`: OpenSSL's name of what is wrong, or `CONNECT_AGAIN`."),
  }),
  Unauthenticated: refusalSchema('UNAUTHENTICATED', {
    reason: z.enum(namesOf(PROOF_MESSAGES)),
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

function namesOf<Name extends string>(texts: { readonly [name in Name]: string }): readonly [Name, ...Name[]] {
  return Object.keys(texts) as [Name, ...Name[]];
}
