import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { ownMember } from './json-object.ts';
import { fieldMessage, invalid, type Rendered, verbatim } from './payload-outcome.ts';

/** `data.method` as sent: ASCII letters. */
export function methodText(data: JsonObject): Outcome<Rendered, Issue> {
  const value = ownMember(data, 'method');
  if (typeof value === 'string' && /^[A-Za-z]+$/.test(value)) return verbatim(value);
  return invalid('data.method', fieldMessage(value, 'must be an HTTP method in letters, such as GET or POST'));
}
