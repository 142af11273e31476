import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { JsonRule } from '../model/payload-rule.ts';
import { compactJson } from './compact-json.ts';
import { messageField } from './message-field.ts';
import { textPayload } from './payload-outcome.ts';

/**
 * Rule `json`: JSON without whitespace, members in the order sent, of all of `data` or of one field of it. Texts and numbers are written as ECMAScript's
 * JSON.stringify does: `1.0` is `1`, `1e21` is `1e+21`, é stays é. A member whose name is an integer has lost its place (see `member-order.ts`) and is
 * refused. A text in the field is signed verbatim; null, true, false and numbers there are refused.
 *
 * Another order of members gives another payload. With a field, what stands beside it is not signed, and a text that is the JSON of an object signs as
 * that object.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 * signs the 67 bytes `{"nonce":1700000000000,"instruction":{"type":"order","side":"buy"}}`
 * @example field `message`: `{"message": {"symbol": "é"}, "id": 7}` signs the 15 bytes `{"symbol":"é"}`, in which é is C3 A9
 */
export function jsonPayload(data: JsonObject, rule: JsonRule): Outcome<Payload, Issue> {
  const { field } = rule;
  const written =
    field === undefined ? compactJson([], data) : messageField(data, field, (message) => compactJson([field], message));
  return written.ok ? textPayload(written.value.text) : written;
}
