import { z } from 'zod';
import type { Refusal } from '../../../../../domain/model/refusal.ts';
import { ACCOUNT_REFUSALS } from './account-refusals.ts';
import { count } from './answer-fields.ts';
import { includedPayloadFields } from './included-payload.ts';
import { algorithm, signatureText } from './signature-answer.ts';

const requestId = z.string().describe("The request's.");

/** The item of a batch that was signed. */
export const signedItem = z.object({
  requestId,
  status: z.literal('success'),
  signature: signatureText,
  algorithm,
  ...includedPayloadFields,
});

const {
  AccountNotFound,
  PlatformNotSupported,
  InvalidDataFormat,
  AccountInactive,
  PermissionDenied,
  AccountRateLimited,
  SignatureFailed,
  SignatureFaulty,
  AuditUnavailable,
} = ACCOUNT_REFUSALS;

/** The item of a batch that was not. */
export const failedItem = z.object({
  requestId,
  status: z.literal('failed'),
  error: z.union([
    AccountNotFound,
    PlatformNotSupported,
    InvalidDataFormat,
    AccountInactive,
    PermissionDenied,
    AccountRateLimited,
    SignatureFailed,
    SignatureFaulty,
    AuditUnavailable,
  ]),
});

/** `data` of `POST /sign/batch`. */
export const batchAnswer = z.object({
  results: z.array(z.discriminatedUnion('status', [signedItem, failedItem])).describe('One a request, in their order.'),
  summary: z.object({ total: count, successful: count, failed: count }),
});

type FailedItem = Omit<z.infer<typeof failedItem>, 'error'> & {
  readonly error: Pick<Refusal, 'code' | 'message' | 'details'>;
};

/** See {@link batchAnswer}; what a refusal's details are, its code says. */
export type BatchItemAnswer = z.infer<typeof signedItem> | FailedItem;

/** See {@link batchAnswer}. */
export type BatchAnswer = Omit<z.infer<typeof batchAnswer>, 'results'> & {
  readonly results: readonly BatchItemAnswer[];
};
