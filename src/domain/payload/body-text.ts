import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { PrehashRule } from '../model/payload-rule.ts';
import { compactJson } from './compact-json.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { invalid, type Rendered, verbatim } from './payload-outcome.ts';
import { queryText } from './query-text.ts';

/** How a body that is an object is written. */
export type BodyForm = NonNullable<PrehashRule['body']>;

/**
 * `data.body`: nothing when absent, a text verbatim, an object or array as compact JSON in the order sent, or an object as a form (`name=value` joined by
 * `&`, percent-encoded) in the order sent or sorted.
 */
export function bodyText(data: JsonObject, form: BodyForm): Outcome<Rendered, Issue> {
  const value = ownMember(data, 'body');
  if (value === undefined) return verbatim('');
  if (typeof value === 'string') return verbatim(value);
  if (form === 'json' && typeof value === 'object' && value !== null) return compactJson(['body'], value);
  if (form !== 'json' && isJsonObject(value)) return queryText(['body'], value, { sort: form === 'form-sorted' });
  const wanted = form === 'json' ? 'an object, an array' : 'an object';
  return invalid(
    'data.body',
    `must be ${wanted}, a string that is signed verbatim, or absent; send any other body as a string`,
  );
}
