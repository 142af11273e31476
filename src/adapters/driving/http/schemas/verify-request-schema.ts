import { z } from 'zod';
import type { VerifyRequest } from '../../../../domain/model/verify-request.ts';
import { data, identifier, wanted } from './fields.ts';

/** More characters than any signature has in any encoding. */
const MAX_SIGNATURE_LENGTH = 1024;

const SIGNATURE = wanted(`a string of 1 to ${MAX_SIGNATURE_LENGTH} characters`);

/** Body of `POST /verify`. A signature that no algorithm could have made is not malformed: it is not valid. */
export const verifyRequestSchema: z.ZodType<VerifyRequest> = z.strictObject(
  {
    platformId: identifier,
    accountId: identifier,
    data,
    signature: z
      .string(SIGNATURE)
      .min(1, SIGNATURE)
      .max(MAX_SIGNATURE_LENGTH, SIGNATURE)
      .describe("The text to check, in the encoding of the account's platform."),
  },
  wanted('a JSON object with platformId, accountId, data and signature'),
);
