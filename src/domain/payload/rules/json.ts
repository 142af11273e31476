import type { JsonObject } from '../../model/json.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Payload } from '../../model/payload.ts';
import type { JsonRule } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { compactJson, messageField } from '../json-text.ts';
import { textPayload } from '../payload-outcome.ts';

/**
 * Rule `json`: JSON without whitespace, members in the order sent, of `data` or of one field of it.
 * Strings and numbers as ECMAScript's JSON.stringify: `1.0` becomes `1`, `1e21` `1e+21`, é stays é.
 * Members with integer names are rejected, because their order is lost. A string field is signed
 * verbatim, without quotes; null, booleans and numbers are rejected. Other fields are not
 * signed.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 *   signs the 67 bytes `{"nonce":1700000000000,"instruction":{"type":"order","side":"buy"}}`
 * @example field `message`: `{"message": {"symbol": "é"}, "id":
 *   7}` signs the 15 bytes `{"symbol":"é"}`, é as C3 A9
 */
export function jsonPayload(data: JsonObject, rule: JsonRule): Outcome<Payload, Issue> {
  const { field } = rule;
  const rendered =
    field === undefined ? compactJson([], data) : messageField(data, field, (message) => compactJson([field], message));
  return rendered.ok ? textPayload(rendered.value.text) : rendered;
}
