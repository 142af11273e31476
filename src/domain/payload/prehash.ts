import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { PrehashRule, QueryStyle } from '../model/payload-rule.ts';
import { fillTemplate } from './fill-template.ts';
import { oncePerRule } from './once-per-rule.ts';
import type { PayloadContext } from './payload-context.ts';
import { textPayload } from './payload-outcome.ts';
import { findMisplacedQuery, type QueryPlace } from './request-query.ts';
import { findTemplateIssue, type TemplateToken, templateTokens } from './template.ts';
import { findUnsignedPart, membersOf, type SignedMembers } from './unsigned-part.ts';

interface Prepared {
  readonly tokens: readonly TemplateToken[];
  readonly queryPlace: QueryPlace;
  readonly members: SignedMembers;
}

const prepared = oncePerRule(prepare);

/**
 * Rule `prehash`: the parts of a request put into a template, as OKX and its relatives sign them. Each placeholder is replaced once; braces in the
 * parts mean nothing. A field that the template does not name is not signed, and refused where callers would take it for signed (`findUnsignedPart`).
 *
 * - `{timestamp}`: `data.timestamp` as the option `timestamp` says: `iso`, `ms`, `s`, or absent for the text as sent
 * - `{METHOD}`, `{method}`: `data.method` in upper or lower case
 * - `{path}`: `data.path`, which begins with `/`, as sent
 * - `{query}`: `data.query`: nothing when absent, a text verbatim, an object as `name=value&…` in the style of the option `query`
 * - `{?query}`: `?` and the query where it is not empty
 * - `{body}`: `data.body`: nothing when absent, a text verbatim, an object in the form of the option `body`; with `bodyHash` the lower-case hex digits
 *   of that text's hash, also of the empty one
 * - `{data.NAME}`: a text or an integer of `data`
 * - `{account.NAME}`: a fixed value of the account, else of the rule's `values`
 *
 * `separator` stands between two placeholders that stand side by side, whatever they are replaced by, but not before `{?query}`, which belongs to what it
 * follows.
 *
 * Where the template names `{query}`, a path with a query of its own is refused, whether or not the template names the path; where it names `{?query}`
 * alone, a query in both is, and any query in the path where the option `query` says
 * `"encode": "none"`. Texts other than the body have no control characters.
 *
 * What one request says is signed alike in each of its forms: an object body and the very text that is made of it, a query in the path or in
 * `data.query`, absent and empty, 5 and "5". Beyond that a template says where one part ends and the next begins only as far as the platform's design
 * does: with nothing between them, `/a` before the text body `b` signs as `/ab` alone. Templates whose parts are set apart by line breaks, of which the
 * body is the last, or is hashed, can't be read in two ways.
 *
 * @example template `{timestamp}{METHOD}{path}{body}`:
 * `{"timestamp": "2020-12-08T09:08:57.715Z", "method": "post", "path": "/api/v5/trade/order", "body": {"instId": "BTC-USDT", "sz": "2"}}`
 * signs the 77 bytes `2020-12-08T09:08:57.715ZPOST/api/v5/trade/order{"instId":"BTC-USDT","sz":"2"}`
 * @example template `{METHOD}{path}{query}{body}{timestamp}`, separator a line break, timestamp `s`, bodyHash `sha256`:
 * `{"method": "GET", "path": "/v4/orders", "query": {"limit": 50}, "timestamp": "2023-11-14T22:13:20Z"}` signs the 99 bytes
 * `GET⏎/v4/orders⏎limit=50⏎e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855⏎1700000000`, in which ⏎ is 0A
 *
 * @throws Error when the template is one that `findTemplateIssue` refuses, or neither account nor rule has a fixed value that it names: configuration
 *   never lets it come here
 */
export function prehashPayload(data: JsonObject, rule: PrehashRule, context: PayloadContext): Outcome<Payload, Issue> {
  const { tokens, queryPlace, members } = prepared(rule);
  const unsigned = findUnsignedPart(data, members);
  if (unsigned !== undefined) return refused(unsigned);
  const filled = fillTemplate(tokens, rule, data, context);
  if (!filled.ok) return filled;
  const issue = findMisplacedQuery(data, queryPlace);
  return issue === undefined ? textPayload(filled.value.text, filled.value.parts) : refused(issue);
}

function prepare(rule: PrehashRule): Prepared {
  const issue = findTemplateIssue(rule.template);
  if (issue !== undefined) throw new Error(`The prehash template ${issue.message}.`);
  const tokens = templateTokens(rule.template);
  return {
    tokens: separated(tokens, rule.separator ?? ''),
    queryPlace: queryPlaceOf(tokens, rule.query ?? {}),
    members: membersOf(tokens),
  };
}

function separated(tokens: readonly TemplateToken[], separator: string): readonly TemplateToken[] {
  if (separator === '') return tokens;
  return tokens.flatMap((token, index): readonly TemplateToken[] => {
    const before = tokens[index - 1];
    const standsApart = before === undefined || before.kind === 'text' || token.kind === 'text';
    return standsApart || isNamed(token, '?query') ? [token] : [{ kind: 'text', text: separator }, token];
  });
}

/**
 * A path is signed as it is sent, percent-encoded: where the platform signs the decoded query, it
 * can't stand there.
 */
function queryPlaceOf(tokens: readonly TemplateToken[], { encode }: QueryStyle): QueryPlace {
  if (tokens.some((token) => isNamed(token, 'query'))) return 'apart';
  if (!tokens.some((token) => isNamed(token, '?query'))) return 'path';
  return encode === 'none' ? 'apart' : 'joined';
}

function isNamed(token: TemplateToken, name: 'query' | '?query'): boolean {
  return token.kind === 'request' && token.name === name;
}
