import { z } from 'zod';
import type { ErrorCode } from '../../http-refusal.ts';

/** `error` of an answer that says no: one code, with the details that come with it. */
export function refusalSchema<Details extends z.ZodRawShape>(code: ErrorCode, details: Details) {
  return z.object({
    code: z.literal(code),
    message: z.string().min(1).describe('For people; it may change.'),
    details: z.object(details),
  });
}
