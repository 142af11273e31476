import type { z } from 'zod';
import { ACCOUNT_REFUSALS } from '../schemas/answers/account-refusals.ts';
import { CALLER_REFUSALS } from '../schemas/answers/caller-refusals.ts';

/** Every `error` that an answer may hold, by the name of its schema in the published document. */
export const REFUSAL_SCHEMAS = { ...ACCOUNT_REFUSALS, ...CALLER_REFUSALS } as const;

/** See {@link REFUSAL_SCHEMAS}. */
export type RefusalName = keyof typeof REFUSAL_SCHEMAS;

/** All names, in the order of {@link REFUSAL_SCHEMAS}. */
export const REFUSAL_NAMES = Object.keys(REFUSAL_SCHEMAS) as readonly RefusalName[];

/** The schemas alone. */
export function refusalSchemaOf(name: RefusalName): z.ZodType {
  return REFUSAL_SCHEMAS[name];
}
