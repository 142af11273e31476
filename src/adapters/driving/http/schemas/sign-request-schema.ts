import { z } from 'zod';
import type { SignRequest } from '../../../../domain/model/sign-request.ts';
import { data, identifier, wanted } from './fields.ts';

/** Body of `POST /sign`. */
export const signRequestSchema: z.ZodType<SignRequest> = z.strictObject(
  { platformId: identifier, accountId: identifier, data },
  wanted('a JSON object with platformId, accountId and data'),
);
