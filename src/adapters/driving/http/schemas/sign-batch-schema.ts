import { z } from 'zod';
import { REQUEST_ID_PATTERN } from '../../../../domain/model/identifier.ts';
import type { BatchItem } from '../../../../domain/services/sign-batch-service.ts';
import { data, identifier, wanted } from './fields.ts';

/** Body of `POST /sign/batch`. */
export interface SignBatch {
  readonly requests: readonly BatchItem[];
}

const REQUEST_ID = wanted('1 to 128 visible ASCII characters');

/** One of a batch. */
export const signBatchItem = z.strictObject(
  {
    requestId: z
      .string(REQUEST_ID)
      .regex(REQUEST_ID_PATTERN, REQUEST_ID)
      .describe('Of your choice, repeated in the result: 1 to 128 visible ASCII characters, unique in the batch.'),
    platformId: identifier,
    accountId: identifier,
    data,
  },
  wanted('a JSON object with requestId, platformId, accountId and data'),
);

/** Makes the schema for batches of 1 to `maxBatch` items. The size is checked before the items, and those before their requestIds. */
export function signBatchSchema(maxBatch: number): z.ZodType<SignBatch> {
  const size = wanted(`an array of 1 to ${maxBatch} requests`);
  // The bounds stand here as well for the published schema, which is made of what comes out.
  const items = z.array(signBatchItem).min(1).max(maxBatch).superRefine(refuseDuplicates);
  return z.strictObject(
    { requests: z.array(z.unknown(), size).min(1, size).max(maxBatch, size).pipe(items) },
    wanted('a JSON object with requests'),
  );
}

function refuseDuplicates(items: readonly BatchItem[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  items.forEach(({ requestId }, index) => {
    if (seen.has(requestId)) {
      const message = 'must differ from the requestId of every other request in the batch';
      context.addIssue({ code: 'custom', path: [index, 'requestId'], message });
    }
    seen.add(requestId);
  });
}
