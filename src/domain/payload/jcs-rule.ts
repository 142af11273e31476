import type { JsonObject } from '../model/json.ts';
import type { PayloadOutcome } from '../model/payload.ts';
import type { JcsRule } from '../model/payload-rule.ts';
import { canonicalJson } from './jcs.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage, payloadIssue, textPayload } from './payload-outcome.ts';

/**
 * Rule `jcs`: RFC 8785 canonical JSON of all of `data`, or of one field of it. A text in that field is signed verbatim, as text and not
 * as a JSON string; null, true, false and numbers are no message and are refused.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 * signs the 67 bytes `{"instruction":{"side":"buy","type":"order"},"nonce":1700000000000}`
 * @example field `message`: `{"message": {"symbol": "é", "action": "buy"}}` signs `{"action":"buy","symbol":"é"}`, in which é is C3 A9
 * @example field `message`: `{"message": "hello"}` signs the 5 bytes `hello` (68 65 6C 6C 6F)
 */
export function jcsPayload(data: JsonObject, rule: JcsRule): PayloadOutcome {
  if (rule.field === undefined) return textPayload(canonicalJson(data));
  const message = ownMember(data, rule.field);
  if (typeof message === 'string') return textPayload(message);
  if (typeof message === 'object' && message !== null) return textPayload(canonicalJson(message));
  return payloadIssue(
    jsonPath('data', [rule.field]),
    fieldMessage(message, 'must be an object, an array or a string: it is what gets signed'),
  );
}
