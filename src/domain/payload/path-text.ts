import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { ownMember } from './json-object.ts';
import { fieldMessage, invalid, type Rendered, verbatim } from './payload-outcome.ts';

// Visible ASCII without " # < > \ ^ ` { | }: what URL parsers encode or cut off, so that other bytes would travel than were signed.
const SENT_AS_IT_IS = /^[!$-;=?-[\]_a-z~]*$/;
// `.` and `..` as a whole segment, also percent-encoded: URL parsers remove them (WHATWG URL, "single-dot" and "double-dot URL path segment").
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Whether a query has only characters that HTTP clients leave as they are there: visible ASCII without ``" ' # < > \ ^ ` { | }``. */
export function isQuerySentAsItIs(query: string): boolean {
  return SENT_AS_IT_IS.test(query) && !query.includes("'");
}

/**
 * `data.path` as sent: it begins with `/` and has only characters that an HTTP client leaves as they are, which are visible ASCII without
 * ``" # < > \ ^ ` { | }``, and no segment `.` or `..`. It may have a query of its own, `/orders?symbol=BTC`, which has no `'` either.
 */
export function pathText(data: JsonObject): Outcome<Rendered, Issue> {
  const value = ownMember(data, 'path');
  if (typeof value === 'string' && DOT_SEGMENT.test(value)) {
    return invalid('data.path', 'must have no segment . or .., which HTTP clients remove before they send it');
  }
  if (typeof value === 'string' && hasApostropheInQuery(value)) {
    return invalid('data.path', "must have no ' in its query, where HTTP clients encode it: write %27");
  }
  if (typeof value === 'string' && value.startsWith('/') && SENT_AS_IT_IS.test(value)) return verbatim(value);
  return invalid(
    'data.path',
    fieldMessage(
      value,
      'must be a path that begins with /, percent-encoded as it is sent: visible ASCII without " # < > \\ ^ ` { | }',
    ),
  );
}

/** URL parsers encode it behind the `?` alone (WHATWG URL, "special-query percent-encode set"). */
function hasApostropheInQuery(path: string): boolean {
  const start = path.indexOf('?');
  return start !== -1 && path.includes("'", start);
}
