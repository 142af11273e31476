import type { JsonValue } from '../model/json.ts';
import type { Payload, PayloadOutcome } from '../model/payload.ts';

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text, as a payload. */
export function textPayload(text: string): PayloadOutcome {
  return bytesPayload({ bytes: encoder.encode(text), text, encoding: 'utf8' });
}

/** Bytes and the text in which the caller gave them, as a payload. */
export function bytesPayload(payload: Payload): PayloadOutcome {
  return { ok: true, payload };
}

/** Says what a field must be, and that it is missing where it is. `wanted` begins with "must". */
export function fieldMessage(value: JsonValue | undefined, wanted: string): string {
  return value === undefined ? `is missing; it ${wanted}` : wanted;
}

/** The rule can't be applied to what stands at `path`. */
export function payloadIssue(path: string, message: string): PayloadOutcome {
  return { ok: false, issue: { path, message } };
}
