import { z } from 'zod';

/** A moment, ISO 8601 in UTC, as every time in an answer is written. */
export const moment = z.string().meta({ format: 'date-time', description: 'ISO 8601 UTC' });

/** A number of things. */
export const count = z.int().nonnegative();

/**
 * A text out of a list that may grow in version 1 (docs/API.md, Compatibility): published as `x-extensible-enum`, so that no generated client refuses a value that it does not know.
 */
export function oneOfMore<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values).meta({ isExtensible: true });
}
