import type { JsonValue } from '../model/json.ts';
import type { Payload, PayloadOutcome, PayloadParts } from '../model/payload.ts';
import { utf8Bytes } from './utf8-bytes.ts';

/**
 * Longest text that a payload is made of, UTF-16 code units: four times the longest request, which percent-encoding can make three times as long. Nothing
 * that is said once comes near it.
 */
export const MAX_PAYLOAD_LENGTH = 4 * 2 ** 20;

/** The UTF-8 bytes of a text, as a payload; none where the text is longer than {@link MAX_PAYLOAD_LENGTH}. */
export function textPayload(text: string, parts: PayloadParts = {}): PayloadOutcome {
  if (text.length > MAX_PAYLOAD_LENGTH) {
    return payloadIssue('data', `must not make a text of more than ${MAX_PAYLOAD_LENGTH} characters to sign`);
  }
  return bytesPayload({ bytes: utf8Bytes(text), text, encoding: 'utf8' }, parts);
}

/** Bytes and the text that stands for them, as a payload. Parts that are none are left out. */
export function bytesPayload(payload: Payload, parts: PayloadParts = {}): PayloadOutcome {
  const hasParts = Object.keys(parts).length > 0;
  return { ok: true, payload: hasParts ? { ...payload, parts } : payload };
}

/** Says what a field must be, and that it is missing where it is. `wanted` begins with "must". */
export function fieldMessage(value: JsonValue | undefined, wanted: string): string {
  return value === undefined ? `is missing; it ${wanted}` : wanted;
}

/** The rule can't be applied to what stands at `path`. */
export function payloadIssue(path: string, message: string): PayloadOutcome {
  return { ok: false, issue: { path, message } };
}
