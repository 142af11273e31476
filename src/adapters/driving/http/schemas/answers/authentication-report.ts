import { z } from 'zod';
import { count, moment } from './answer-fields.ts';

/** Mutual authentication, as status and readiness show it. */
export const authenticationReport = z.object({
  mode: z.enum(['optional', 'required']),
  publicKey: z.string().describe("The service's, base58."),
  expirationTime: moment.describe("Of the service's token."),
  daysLeft: z.int().describe('Of that token; negative once it has expired.'),
  authorities: count.describe('How many are believed.'),
});
