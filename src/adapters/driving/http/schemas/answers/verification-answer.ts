import { z } from 'zod';
import { includedPayloadFields } from './included-payload.ts';

/** `data` of `POST /verify`. */
export const verificationAnswer = z.object({
  valid: z.boolean().describe("Whether it is the account's signature over the data."),
  ...includedPayloadFields,
});

/** See {@link verificationAnswer}. */
export type VerificationAnswer = z.infer<typeof verificationAnswer>;
