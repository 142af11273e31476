import type { JsonObject } from '../model/json.ts';
import type { PayloadOutcome } from '../model/payload.ts';
import type { QueryRule } from '../model/payload-rule.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { losesItsPlace, REORDERED_NAME_MESSAGE } from './member-order.ts';
import { fieldMessage, payloadIssue, textPayload } from './payload-outcome.ts';

/**
 * Rule `query`: the members of one object of `data` as `name=value` joined by `&`, in the order sent. Names and values are UTF-8,
 * percent-encoded so that only RFC 3986 §2.3 unreserved characters stay as they are (a space is `%20`). Values are texts, numbers (as
 * JSON.stringify writes them) and `true` or `false`.
 *
 * @example field `params`: `{"params": {"symbol": "１BTC", "price": 0.1, "note": "a b&c"}}`
 * signs the 44 bytes `symbol=%EF%BC%91BTC&price=0.1&note=a%20b%26c`
 */
export function queryPayload(data: JsonObject, rule: QueryRule): PayloadOutcome {
  const path = jsonPath('data', [rule.field]);
  const parameters = ownMember(data, rule.field);
  if (!isJsonObject(parameters)) {
    return payloadIssue(path, fieldMessage(parameters, 'must be an object with the parameters to sign'));
  }

  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (losesItsPlace(name)) return payloadIssue(jsonPath('data', [rule.field, name]), REORDERED_NAME_MESSAGE);
    if (typeof value === 'object') {
      return payloadIssue(jsonPath('data', [rule.field, name]), 'must be a string, a number or a boolean');
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    pairs.push(`${percentEncoded(name)}=${percentEncoded(text)}`);
  }
  if (pairs.length === 0) return payloadIssue(path, 'must have at least one parameter: an empty text is not signed');
  return textPayload(pairs.join('&'));
}

function percentEncoded(text: string): string {
  // encodeURIComponent leaves five characters alone that RFC 3986 reserves.
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
