import type { JsonValue } from '../model/json.ts';
import type { Payload, PayloadOutcome, PayloadParts } from '../model/payload.ts';

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text, as a payload. */
export function textPayload(text: string, parts: PayloadParts = {}): PayloadOutcome {
  return bytesPayload({ bytes: encoder.encode(text), text, encoding: 'utf8' }, parts);
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
