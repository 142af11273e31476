import type { JsonObject } from '../../../domain/model/json.ts';
import type { SignedResult } from '../../../domain/model/signed-result.ts';

/** What is told of a payload. */
type ShownPayload = Pick<SignedResult, 'payload' | 'payloadEncoding' | 'payloadParts'>;

/**
 * What `?include=payload` adds to an answer: the exact text that was signed, or, where bytes are no text, their hex or base64 with
 * `payloadEncoding` to say so; and in `payloadParts` what has to be sent exactly so, where the service wrote it.
 */
export function includedPayload({ payload, payloadEncoding, payloadParts }: ShownPayload, wanted: boolean): JsonObject {
  if (!wanted) return {};
  return {
    payload,
    ...(payloadEncoding === 'utf8' ? {} : { payloadEncoding }),
    ...(payloadParts === undefined ? {} : { payloadParts: { ...payloadParts } }),
  };
}
