import type { JsonObject } from '../model/json.ts';
import { ownMember } from './json-object.ts';
import { fieldMessage } from './payload-outcome.ts';
import { noText, sentText, type WrittenText } from './written-text.ts';

/** `data.method` as sent: ASCII letters. */
export function methodText(data: JsonObject): WrittenText {
  const value = ownMember(data, 'method');
  if (typeof value === 'string' && /^[A-Za-z]+$/.test(value)) return sentText(value);
  return noText('data.method', fieldMessage(value, 'must be an HTTP method in letters, such as GET or POST'));
}
