import type { JsonObject } from '../../model/json.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Payload } from '../../model/payload.ts';
import type { JsonRule } from '../../model/payload-rule.ts';
import type { Issue } from '../../model/refusal.ts';
import { encodeBase64 } from '../../model/text/byte-encodings.ts';
import { compactJson, messageField } from '../json-text.ts';
import { textPayload } from '../payload-outcome.ts';

const encoder = new TextEncoder();

/**
 * Rule `json`: JSON without whitespace, members in the order sent, of `data` or of one field of it.
 * Strings and numbers as ECMAScript's JSON.stringify: `1.0` becomes `1`, `1e21` `1e+21`, é stays é.
 * Members with integer names are rejected, because their order is lost. A string field is signed
 * verbatim, without quotes; null, booleans and numbers are rejected. Other fields are not
 * signed. With `"encode": "base64"` the base64 of that text is signed, as Gemini requires.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 *   signs the 67 bytes `{"nonce":1700000000000,"instruction":{"type":"order","side":"buy"}}`
 * @example field `message`: `{"message": {"symbol": "é"}, "id":
 *   7}` signs the 15 bytes `{"symbol":"é"}`, é as C3 A9
 * @example encode `base64`: `{"nonce": 1}` signs the 16 bytes `eyJub25jZSI6MX0=`
 */
export function jsonPayload(data: JsonObject, rule: JsonRule): Outcome<Payload, Issue> {
  const { field, encode } = rule;
  const rendered =
    field === undefined ? compactJson([], data) : messageField(data, field, (message) => compactJson([field], message));
  if (!rendered.ok) return rendered;
  const text = rendered.value;
  return textPayload(encode === 'base64' ? encodeBase64(encoder.encode(text)) : text);
}
