import type { JsonObject } from '../model/json.ts';
import { ownMember } from './json-object.ts';
import { fieldMessage } from './payload-outcome.ts';
import { noText, sentText, type WrittenText } from './written-text.ts';

// Visible ASCII without " # < > \ ^ ` { | }: what URL parsers encode or cut off, so that other bytes would travel than were signed.
const SENT_AS_IT_IS = /^[!$-;=?-[\]_a-z~]*$/;
// `.` and `..` as a whole segment, also percent-encoded: URL parsers remove them (WHATWG URL, "single-dot" and "double-dot URL path segment").
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Whether a text has only characters that HTTP clients leave as they are in a path or query: visible ASCII without ``" # < > \ ^ ` { | }``. */
export function isSentAsItIs(text: string): boolean {
  return SENT_AS_IT_IS.test(text);
}

/**
 * `data.path` as sent: it begins with `/` and has only characters that an HTTP client leaves as they are, which are visible ASCII without
 * ``" # < > \ ^ ` { | }``, and no segment `.` or `..`. It may have a query of its own, `/orders?symbol=BTC`.
 */
export function pathText(data: JsonObject): WrittenText {
  const value = ownMember(data, 'path');
  if (typeof value === 'string' && DOT_SEGMENT.test(value)) {
    return noText('data.path', 'must have no segment . or .., which HTTP clients remove before they send it');
  }
  if (typeof value === 'string' && value.startsWith('/') && isSentAsItIs(value)) return sentText(value);
  return noText(
    'data.path',
    fieldMessage(
      value,
      'must be a path that begins with /, percent-encoded as it is sent: visible ASCII without " # < > \\ ^ ` { | }',
    ),
  );
}
