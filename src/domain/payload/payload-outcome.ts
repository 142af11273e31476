import type { Issue } from '../model/issue.ts';
import type { JsonValue } from '../model/json.ts';
import { accepted, type Outcome, type Refused, refused } from '../model/outcome.ts';
import type { Payload, PayloadParts } from '../model/payload.ts';

const encoder = new TextEncoder();

/** One part of the text to sign. */
export interface Rendered {
  readonly text: string;
  /**
   * Whether it was serialized here, from an object or a number: the caller has to send it exactly
   * so.
   */
  readonly isMade: boolean;
}

/**
 * Longest text that a payload is made of, UTF-16 code units: four times the longest request, which
 * percent-encoding can make three times as long. Nothing that is said once comes near it.
 */
export const MAX_PAYLOAD_LENGTH = 4 * 2 ** 20;

/**
 * The UTF-8 bytes of a text, as a payload; none of a text longer than {@link MAX_PAYLOAD_LENGTH}.
 */
export function textPayload(text: string, parts: PayloadParts = {}): Outcome<Payload, Issue> {
  if (text.length > MAX_PAYLOAD_LENGTH) {
    return invalid('data', `must not make a text of more than ${MAX_PAYLOAD_LENGTH} characters to sign`);
  }
  return bytesPayload({ bytes: encoder.encode(text), text, encoding: 'utf8' }, parts);
}

/** Bytes and the text that stands for them, as a payload. Empty parts are left out. */
export function bytesPayload(payload: Payload, parts: PayloadParts = {}): Outcome<Payload, Issue> {
  const hasParts = Object.keys(parts).length > 0;
  return accepted(hasParts ? { ...payload, parts } : payload);
}

/** A text as the caller sent it. */
export function verbatim(text: string): Outcome<Rendered, Issue> {
  return accepted({ text, isMade: false });
}

/** A text that was made from something else. */
export function serialized(text: string): Outcome<Rendered, Issue> {
  return accepted({ text, isMade: true });
}

/** What is at `path` can't be signed by the rule; `message` says what it must be. */
export function invalid(path: string, message: string): Refused<Issue> {
  return refused({ path, message });
}

/** Says what a field must be, and that it is missing where it is. `wanted` begins with "must". */
export function fieldMessage(value: JsonValue | undefined, wanted: string): string {
  return value === undefined ? `is missing; it ${wanted}` : wanted;
}
