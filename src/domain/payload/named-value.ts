import type { FixedValues } from '../model/fixed-values.ts';
import type { JsonObject } from '../model/json.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from './control-characters.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage } from './payload-outcome.ts';
import { noText, sentText, type WrittenText } from './written-text.ts';

/** `{data.NAME}`: a text of `data`, without control characters, or an integer in decimal digits; `5` and `"5"` read alike. */
export function dataValue(data: JsonObject, name: string): WrittenText {
  const value = ownMember(data, name);
  const path = jsonPath('data', [name]);
  if (typeof value === 'number' && Number.isInteger(value)) return sentText(JSON.stringify(value));
  if (typeof value !== 'string') return noText(path, fieldMessage(value, 'must be a string or an integer'));
  return hasControlCharacter(value) ? noText(path, CONTROL_CHARACTER_MESSAGE) : sentText(value);
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
