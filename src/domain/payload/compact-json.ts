import type { JsonValue } from '../model/json.ts';
import { type JsonStep, jsonPath } from './json-path.ts';
import { findReorderedMember } from './member-order.ts';
import { madeText, type WrittenText } from './written-text.ts';

/**
 * An object or array as ECMAScript's JSON.stringify writes it: no whitespace, members in the order sent, −0 as `0`. A name that loses its place is
 * refused, at any depth.
 *
 * @param steps where the value stands in `data`
 */
export function compactJson(steps: readonly JsonStep[], value: JsonValue): WrittenText {
  const issue = findReorderedMember(jsonPath('data', steps), value);
  return issue === undefined ? madeText(JSON.stringify(value)) : { ok: false, issue };
}
