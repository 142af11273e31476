import { z } from 'zod';
import { REFUSAL_NAMES, REFUSALS, type RefusalName, type ResponseError } from '../refusals.ts';
import { readinessFields } from './status-responses.ts';

function toSchema(name: RefusalName): z.ZodType<ResponseError> {
  const { code, details } = REFUSALS[name];
  return z.object({
    code: z.literal(code),
    message: z.string().min(1).describe('Human-readable; may change.'),
    // Also those of a ready response, whose schema the service does not load.
    details: z.object(name === 'NotReady' ? readinessFields : details),
  }) as z.ZodType<ResponseError>;
}

/** Schemas of `error` in a response; the code determines the details. */
export const REFUSAL_SCHEMAS = Object.fromEntries(REFUSAL_NAMES.map((name) => [name, toSchema(name)])) as {
  readonly [Name in RefusalName]: z.ZodType<ResponseError>;
};
