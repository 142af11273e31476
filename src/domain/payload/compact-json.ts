import type { Issue } from '../model/issue.ts';
import type { JsonValue } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import { type JsonStep, jsonPath } from './json-path.ts';
import { findReorderedMember } from './member-order.ts';
import { type Rendered, serialized } from './payload-outcome.ts';

/**
 * An object or array as ECMAScript's JSON.stringify writes it: no whitespace, members in the order sent, −0 as `0`. A name that loses its place is
 * refused, at any depth.
 *
 * @param steps where the value stands in `data`
 */
export function compactJson(steps: readonly JsonStep[], value: JsonValue): Outcome<Rendered, Issue> {
  const issue = findReorderedMember(jsonPath('data', steps), value);
  return issue === undefined ? serialized(JSON.stringify(value)) : refused(issue);
}
