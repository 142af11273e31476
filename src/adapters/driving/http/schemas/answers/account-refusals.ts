import { z } from 'zod';
import { OPERATIONS } from '../../../../../domain/model/permission-entry.ts';
import { count, oneOfMore } from './answer-fields.ts';
import { refusalSchema } from './refusal-schema.ts';
import { issue } from './reload-answers.ts';

const ids = {
  platformId: z.string().describe('As it was sent.'),
  accountId: z.string().describe('As it was sent.'),
};

const budget = {
  limit: count.describe('Points in the bucket.'),
  windowSeconds: count.describe('In which an empty bucket fills up.'),
};

/** Refusals that have to do with accounts, platforms and the data that is to be signed, under the names of their schemas in the published document. */
export const ACCOUNT_REFUSALS = {
  AccountNotFound: refusalSchema('ACCOUNT_NOT_FOUND', ids),
  PlatformNotSupported: refusalSchema('PLATFORM_NOT_SUPPORTED', { platformId: ids.platformId }),
  InvalidDataFormat: refusalSchema('INVALID_DATA_FORMAT', {
    issues: z.array(issue).min(1).max(20).describe('Each field once. Never a value that was sent.'),
  }),
  AccountInactive: refusalSchema('ACCOUNT_INACTIVE', ids),
  PermissionDenied: refusalSchema('FORBIDDEN', {
    reason: z.literal('PERMISSION_DENIED'),
    operation: oneOfMore(OPERATIONS),
    principal: z.string().describe('As whom the caller is known; `anonymous` where it is not authenticated.'),
    platformId: ids.platformId.exactOptional().describe('Where it is about one account.'),
    accountId: ids.accountId.exactOptional().describe('Where it is about one account.'),
  }),
  VerificationForbidden: refusalSchema('FORBIDDEN', { reason: z.literal('VERIFICATION_FORBIDDEN'), ...ids }),
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
