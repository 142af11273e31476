import type { JsonObject, JsonValue } from '../model/json.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage } from './payload-outcome.ts';
import { noText, sentText, type WrittenText } from './written-text.ts';

/**
 * The one field of `data` that a rule signs: a text verbatim, as text and not as a JSON string, an object or an array as `write` does. Null, true,
 * false and numbers are no message and are refused.
 */
export function messageField(data: JsonObject, field: string, write: (message: JsonValue) => WrittenText): WrittenText {
  const message = ownMember(data, field);
  if (typeof message === 'string') return sentText(message);
  if (typeof message === 'object' && message !== null) return write(message);
  return noText(
    jsonPath('data', [field]),
    fieldMessage(message, 'must be an object, an array or a string: it is what gets signed'),
  );
}
