import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { JcsRule } from '../model/payload-rule.ts';
import { canonicalJson } from './jcs.ts';
import { messageField } from './message-field.ts';
import { serialized, textPayload } from './payload-outcome.ts';

/**
 * Rule `jcs`: RFC 8785 canonical JSON of all of `data`, or of one field of it. A text in that field is signed verbatim, as text and not
 * as a JSON string; null, true, false and numbers are no message and are refused.
 *
 * With a field, what stands beside it is not signed, and a text that is the canonical JSON of an object signs as that object.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 * signs the 67 bytes `{"instruction":{"side":"buy","type":"order"},"nonce":1700000000000}`
 * @example field `message`: `{"message": {"symbol": "é", "action": "buy"}}` signs `{"action":"buy","symbol":"é"}`, in which é is C3 A9
 * @example field `message`: `{"message": "hello"}` signs the 5 bytes `hello` (68 65 6C 6C 6F)
 */
export function jcsPayload(data: JsonObject, rule: JcsRule): Outcome<Payload, Issue> {
  if (rule.field === undefined) return textPayload(canonicalJson(data));
  const written = messageField(data, rule.field, (message) => serialized(canonicalJson(message)));
  return written.ok ? textPayload(written.value.text) : written;
}
