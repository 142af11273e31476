import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { fieldMessage, invalid, type Rendered, verbatim } from './payload-outcome.ts';

/**
 * The one field of `data` that a rule signs: a text verbatim, as text and not as a JSON string, an object or an array as `write` does. Null, true,
 * false and numbers are no message and are refused.
 */
export function messageField(
  data: JsonObject,
  field: string,
  write: (message: JsonValue) => Outcome<Rendered, Issue>,
): Outcome<Rendered, Issue> {
  const message = ownMember(data, field);
  if (typeof message === 'string') return verbatim(message);
  if (typeof message === 'object' && message !== null) return write(message);
  return invalid(
    jsonPath('data', [field]),
    fieldMessage(message, 'must be an object, an array or a string: it is what gets signed'),
  );
}
