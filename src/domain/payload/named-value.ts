import type { FixedValues } from '../model/fixed-values.ts';
import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from './control-characters.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage, invalid, type Rendered, verbatim } from './payload-outcome.ts';

/** `{data.NAME}`: a text of `data`, without control characters, or an integer in decimal digits; `5` and `"5"` read alike. */
export function dataValue(data: JsonObject, name: string): Outcome<Rendered, Issue> {
  const value = ownMember(data, name);
  const path = jsonPath('data', [name]);
  if (typeof value === 'number' && Number.isInteger(value)) return verbatim(JSON.stringify(value));
  if (typeof value !== 'string') return invalid(path, fieldMessage(value, 'must be a string or an integer'));
  return hasControlCharacter(value) ? invalid(path, CONTROL_CHARACTER_MESSAGE) : verbatim(value);
}

/**
 * `{account.NAME}`: the account's own value, or the rule's.
 * @throws Error when neither has one: configuration never lets it come here, see `neededValues`
 */
export function fixedValue(name: string, own: FixedValues, ofTheRule: FixedValues): string {
  const value = Object.hasOwn(own, name) ? own[name] : ownMember(ofTheRule, name);
  if (typeof value !== 'string')
    throw new Error(`The account has no value named ${name}, which its platform's template takes.`);
  return value;
}
