import { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../../../../domain/model/identifier.ts';
import type { JsonObject, JsonValue } from '../../../../domain/model/json.ts';
import { isJsonObject } from '../../../../domain/payload/json-object.ts';

/** Says what a field must be, and that it is missing where it is; never the value that was sent. */
export function wanted(what: string) {
  return {
    error: (issue: { readonly input?: unknown }) =>
      issue.input === undefined ? `is missing; it must be ${what}` : `must be ${what}`,
  };
}

const IDENTIFIER = wanted('1 to 128 letters, digits or . _ : @ + -, with a letter or digit first');

/** The id of a platform or of an account. */
export const identifier = z
  .string(IDENTIFIER)
  .regex(IDENTIFIER_PATTERN, IDENTIFIER)
  .describe('1 to 128 letters, digits or `. _ : @ + -`, a letter or digit first.');

/** The object to sign. It passes through as it was parsed: its members, their order and their names are what gets checked and signed. */
export const data = z
  .custom<JsonObject>((value) => isJsonObject(value as JsonValue), wanted('a JSON object'))
  .meta({
    type: 'object',
    additionalProperties: true,
    description: "What is to be signed, in the shape of the platform's format.",
  });
