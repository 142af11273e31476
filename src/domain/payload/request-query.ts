import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { QueryStyle } from '../model/payload-rule.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from './control-characters.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { isQuerySentAsItIs } from './path-text.ts';
import { invalid, type Rendered, verbatim } from './payload-outcome.ts';
import { queryText } from './query-text.ts';

/**
 * Where a text to sign takes the request's query from: out of the path, where it may stand (`path`); apart from the path, where it must not stand then
 * (`apart`); or behind the path with a `?`, where one of the two has it (`joined`).
 */
export type QueryPlace = 'path' | 'apart' | 'joined';

const ENCODED_WANTED =
  'must be percent-encoded as it is sent, visible ASCII without " \' # < > \\ ^ ` { | }; or an object, which is encoded here';

/**
 * `data.query`: nothing when absent, an object as {@link queryText} writes it, a text verbatim. A text has only characters that HTTP clients send as
 * they are, unless the platform has the query signed before it is encoded.
 */
export function requestQuery(data: JsonObject, style: QueryStyle): Outcome<Rendered, Issue> {
  const written = queryOf(data, style);
  if (!written.ok || written.value.isMade) return written;
  if (hasControlCharacter(written.value.text)) return invalid('data.query', CONTROL_CHARACTER_MESSAGE);
  return style.encode === 'none' || isQuerySentAsItIs(written.value.text)
    ? written
    : invalid('data.query', ENCODED_WANTED);
}

/**
 * A query that stands where the text to sign does not take it from, or in two places. Looks at the
 * path also where the text does not name it.
 *
 * @param home where the platform's rule takes the parameters from, for the message
 */
export function findMisplacedQuery(data: JsonObject, place: QueryPlace, home = 'data.query'): Issue | undefined {
  const path = ownMember(data, 'path');
  if (place === 'path' || typeof path !== 'string' || !path.includes('?')) return undefined;
  if (place === 'apart') {
    return {
      path: 'data.path',
      message: `must have no query (?…): this platform signs the parameters of ${home}`,
    };
  }
  return hasQuery(data)
    ? { path: 'data.query', message: 'must be absent where data.path has a query of its own: one of the two is sent' }
    : undefined;
}

function queryOf(data: JsonObject, style: QueryStyle): Outcome<Rendered, Issue> {
  const value = ownMember(data, 'query');
  if (value === undefined) return verbatim('');
  if (isJsonObject(value)) return queryText(['query'], value, style);
  if (typeof value !== 'string') {
    return invalid('data.query', 'must be an object, a string that is signed verbatim, or absent');
  }
  return value.startsWith('?')
    ? invalid('data.query', 'must not begin with ?: it is the text after it')
    : verbatim(value);
}

function hasQuery(data: JsonObject): boolean {
  const query = ownMember(data, 'query');
  if (query === undefined || query === '') return false;
  return !isJsonObject(query) || Object.keys(query).length > 0;
}
