import type { JsonObject } from '../../../domain/model/json.ts';
import type { SignedResult } from '../../../domain/model/signed-result.ts';

/**
 * What `?include=payload` adds to an answer: the exact text that was signed, or, where bytes were given as hex or base64, that text with
 * `payloadEncoding` to say so.
 */
export function includedPayload({ payload, payloadEncoding }: SignedResult, wanted: boolean): JsonObject {
  if (!wanted) return {};
  return payloadEncoding === 'utf8' ? { payload } : { payload, payloadEncoding };
}
