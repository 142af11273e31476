import type { JsonObject } from '../../model/json.ts';
import { accepted, type Outcome } from '../../model/outcome.ts';
import type { Payload } from '../../model/payload.ts';
import type { JcsRule } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { canonicalJson } from '../../model/text/jcs.ts';
import { messageField } from '../json-text.ts';
import { textPayload } from '../payload-outcome.ts';

/**
 * Rule `jcs`: RFC 8785 canonical JSON of `data`, or of one field of it. A string field is signed
 * verbatim, without quotes; null, booleans and numbers are rejected. Other fields are not
 * signed.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 *   signs the 67 bytes `{"instruction":{"side":"buy","type":"order"},"nonce":1700000000000}`
 * @example field `message`: `{"message": {"symbol": "é", "action":
 *   "buy"}}` signs `{"action":"buy","symbol":"é"}`, é as C3 A9
 * @example field `message`: `{"message": "hello"}` signs the 5 bytes `hello` (68 65 6C 6C 6F)
 */
export function jcsPayload(data: JsonObject, rule: JcsRule): Outcome<Payload, Issue> {
  if (rule.field === undefined) return textPayload(canonicalJson(data));
  const rendered = messageField(data, rule.field, (message) => accepted(canonicalJson(message)));
  return rendered.ok ? textPayload(rendered.value) : rendered;
}
