import { z } from 'zod';
import { ALGORITHMS, describeAlgorithms, SIGNATURE_FORMS } from '../../../domain/model/algorithm.ts';
import { count } from '../../../domain/model/refusal.ts';
import { REFUSAL_NAMES, refusalsOf } from '../refusals.ts';
import { REFUSAL_SCHEMAS } from './refusal-responses.ts';
import { extensibleEnum, includedPayloadFields, includedRequestFields, isoDateTime } from './response-fields.ts';

/** The encoded signature. */
const signatureText = z
  .string()
  .min(1)
  .describe("In the encoding of the request's rule, or else of the platform; the whole token for rule `jwt`.");

/** The account's algorithm. */
export const algorithm = extensibleEnum(ALGORITHMS).describe("The account's algorithm.");

const usedAlgorithm = extensibleEnum(ALGORITHMS).describe(
  "Algorithm of the signature: the account's, unless the request's rule names another one.",
);

/** The account's public key. */
export const publicKey = z.string().describe(`Public key of the account: ${describeAlgorithms('publicKey')}.`);

/** `data` of `POST /sign`, as in the specification. */
export const signatureResponse = z.object({
  signature: signatureText,
  algorithm: usedAlgorithm,
  encoding: extensibleEnum(SIGNATURE_FORMS).describe(
    `Encoding of the signature: that of the request's rule, or else of the platform. Default: ${describeAlgorithms('encoding')}. \`jws-compact\` for rule \`jwt\`: the signed text, \`.\` and the signature in base64url.`,
  ),
  publicKey,
  signedAt: isoDateTime,
  ...includedPayloadFields,
  ...includedRequestFields,
});

/** See {@link signatureResponse}. */
export type SignatureResponse = z.infer<typeof signatureResponse>;

const requestId = z.string().describe('`requestId` of the request.');

/** A successful batch item. */
export const signedItem = z.object({
  requestId,
  status: z.literal('success'),
  signature: signatureText,
  algorithm: usedAlgorithm,
  ...includedPayloadFields,
  ...includedRequestFields,
});

const itemRefusals = REFUSAL_NAMES.filter((name) => name === 'InvalidDataFormat' || refusalsOf('sign').includes(name));

/** A failed batch item. */
export const failedItem = z.object({
  requestId,
  status: z.literal('failed'),
  error: z.union(itemRefusals.map((name) => REFUSAL_SCHEMAS[name])),
});

/** `data` of `POST /sign/batch`. */
export const batchResponse = z.object({
  results: z
    .array(z.discriminatedUnion('status', [signedItem, failedItem]))
    .describe('One result per request, in the same order.'),
  summary: z.object({ total: count, successful: count, failed: count }),
});

/** See {@link batchResponse}. */
export type BatchResponse = z.infer<typeof batchResponse>;

/** `data` of `POST /sign?dryRun=true`. */
export const dryRunResponse = z.object({
  dryRun: z.literal(true),
  decision: z.enum(['allowed', 'denied']).describe("Decision of the account's policies and budgets."),
  policies: z
    .array(z.string())
    .describe(
      'Policies that decided: the `deny` or `allow` policy that matched, or all `allow` policies if none matched. Empty if a budget denies the request; `error` then names the budget.',
    ),
  wouldDeny: z.array(z.string()).describe('Policies in audit mode that would have denied the request.'),
  error: z
    .union([REFUSAL_SCHEMAS.PolicyDenied, REFUSAL_SCHEMAS.BudgetExceeded])
    .exactOptional()
    .describe('The error that a signing request would get.'),
  ...includedPayloadFields,
  ...includedRequestFields,
});

/** See {@link dryRunResponse}. */
export type DryRunResponse = z.infer<typeof dryRunResponse>;

/** `data` of `POST /sign`. */
export const signResponse = z.union([signatureResponse, dryRunResponse]);

/** `data` of `POST /verify`. */
export const verificationResponse = z.object({
  valid: z.boolean().describe("Whether `signature` is the account's signature over `data`."),
  ...includedPayloadFields,
});

/** See {@link verificationResponse}. */
export type VerificationResponse = z.infer<typeof verificationResponse>;
