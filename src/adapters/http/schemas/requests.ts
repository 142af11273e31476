import { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/model/json.ts';
import {
  type BatchItem,
  REQUEST_ID_PATTERN,
  type SignRequest,
  type VerifyRequest,
} from '../../../domain/model/sign-request.ts';

/** Messages for a missing and for an invalid field, without its value. */
export function expected(what: string) {
  return {
    error: (issue: { readonly input?: unknown }) =>
      issue.input === undefined ? `is missing; it must be ${what}` : `must be ${what}`,
  };
}

const IDENTIFIER = expected('1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit');

/** The ID of a platform or account. */
export const identifier = z
  .string(IDENTIFIER)
  .regex(IDENTIFIER_PATTERN, IDENTIFIER)
  .describe('1 to 128 letters, digits or `. _ : @ + -`, starting with a letter or digit.');

/** The object to sign, passed through unchanged: key order matters. */
export const data = z
  .custom<JsonObject>((value) => isJsonObject(value as JsonValue), expected('a JSON object'))
  .meta({
    type: 'object',
    additionalProperties: true,
    description: "The data to sign, in the platform's data format; with `rule`, in the form of that rule.",
  });

/** The name of a rule; the service knows which ones the platform has. */
const rule = z
  .string(expected("the name of one of the platform's rules, or absent"))
  .exactOptional()
  .describe("One of the platform's named rules, such as `login`. Default: the platform's default rule.");

/** Body of `POST /sign`. */
export const signRequestSchema: z.ZodType<SignRequest> = z.strictObject(
  { platformId: identifier, accountId: identifier, data, rule },
  expected('a JSON object with platformId, accountId and data'),
);

/** Body of `POST /sign/batch`. */
export interface SignBatch {
  readonly requests: readonly BatchItem[];
}

const REQUEST_ID = expected('1 to 128 visible ASCII characters');

/** An item of a batch. */
export const signBatchItem = z.strictObject(
  {
    requestId: z
      .string(REQUEST_ID)
      .regex(REQUEST_ID_PATTERN, REQUEST_ID)
      .describe(
        'Chosen by the caller and repeated in the result: 1 to 128 visible ASCII characters, unique in the batch.',
      ),
    platformId: identifier,
    accountId: identifier,
    data,
    rule,
  },
  expected('a JSON object with requestId, platformId, accountId and data'),
);

/** Batches of 1 to `maxBatch` items; checks size, items, then unique requestIds. */
export function signBatchSchema(maxBatch: number): z.ZodType<SignBatch> {
  const size = expected(`an array of 1 to ${maxBatch} requests`);
  // Repeats the bounds for the published schema, which is generated from the output.
  const items = z.array(signBatchItem).min(1).max(maxBatch).superRefine(rejectDuplicates);
  return z.strictObject(
    { requests: z.array(z.unknown(), size).min(1, size).max(maxBatch, size).pipe(items) },
    expected('a JSON object with requests'),
  );
}

function rejectDuplicates(items: readonly BatchItem[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  items.forEach(({ requestId }, index) => {
    if (seen.has(requestId)) {
      const message = 'must differ from the requestId of every other request in the batch';
      context.addIssue({ code: 'custom', path: [index, 'requestId'], message });
    }
    seen.add(requestId);
  });
}

/** Longer than any signature in any encoding, and than a token of any venue. */
const MAX_SIGNATURE_LENGTH = 16_384;

const SIGNATURE = expected(`a string of 1 to ${MAX_SIGNATURE_LENGTH} characters`);

/** Body of `POST /verify`. An impossible signature is invalid, not malformed. */
export const verifyRequestSchema: z.ZodType<VerifyRequest> = z.strictObject(
  {
    platformId: identifier,
    accountId: identifier,
    data,
    rule,
    signature: z
      .string(SIGNATURE)
      .min(1, SIGNATURE)
      .max(MAX_SIGNATURE_LENGTH, SIGNATURE)
      .describe('The signature to verify, in the encoding of the rule or platform; the whole token for rule `jwt`.'),
  },
  expected('a JSON object with platformId, accountId, data and signature'),
);
