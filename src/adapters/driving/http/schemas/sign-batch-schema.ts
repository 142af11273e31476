import { z } from 'zod';
import { REQUEST_ID_PATTERN } from '../../../../domain/model/identifier.ts';
import type { BatchItem } from '../../../../domain/services/sign-batch-service.ts';
import { data, identifier, wanted } from './fields.ts';

/** Body of `POST /sign/batch`. */
export interface SignBatch {
  readonly requests: readonly BatchItem[];
}

const REQUEST_ID = wanted('1 to 128 visible ASCII characters');

const item = z.strictObject(
  {
    requestId: z.string(REQUEST_ID).regex(REQUEST_ID_PATTERN, REQUEST_ID),
    platformId: identifier,
    accountId: identifier,
    data,
  },
  wanted('a JSON object with requestId, platformId, accountId and data'),
);

/** Makes the schema for batches of 1 to `maxBatch` items. The size is checked before the items, and those before their requestIds. */
export function signBatchSchema(maxBatch: number): z.ZodType<SignBatch> {
  const size = wanted(`an array of 1 to ${maxBatch} requests`);
  const items = z.array(item).superRefine(refuseDuplicates);
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
