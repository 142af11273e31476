import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { QueryRule } from '../model/payload-rule.ts';
import { fillTemplate } from './fill-template.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { jsonPath } from './json-path.ts';
import { oncePerRule } from './once-per-rule.ts';
import type { PayloadContext } from './payload-context.ts';
import { bytesPayload, fieldMessage, invalid, textPayload } from './payload-outcome.ts';
import { queryText } from './query-text.ts';
import { findMisplacedQuery, type QueryPlace } from './request-query.ts';
import { findAffixIssue, type TemplateToken, templateTokens } from './template.ts';
import { wrapAsTypedData } from './typed-data-payload.ts';
import { findUnsignedPart, membersOf, type SignedMembers } from './unsigned-part.ts';

interface Affixes {
  readonly prefix: readonly TemplateToken[];
  readonly suffix: readonly TemplateToken[];
  readonly queryPlace: QueryPlace;
  readonly members: SignedMembers;
}

const affixesOf = oncePerRule(prepare);

/**
 * Rule `query`: the members of one object of `data` as `name=value` joined by `&`. Values are texts, numbers (as JSON.stringify writes them) and `true`
 * or `false`; null, arrays and objects are refused.
 *
 * - `sort`: by the UTF-16 code units of the names (for ASCII, its order), else in the order sent, where integer names are refused
 * - `encode`: `percent`, so that only RFC 3986 §2.3 unreserved characters of the UTF-8 stay as they are (a space is `%20`), or `none`, where `&` in a
 *   value, `&` or `=` in a name, and control characters are refused
 * - `prefix`, `suffix`: templates as of rule `prehash`, with a text body as sent, an object body as compact JSON, and no `{query}`; a path in them has no query of
 *   its own. `timestamp`: the form of their `{timestamp}`
 * - `typedData`: the whole text becomes the one string member of an EIP-712 message
 *
 * `1` and `"1"`, `true` and `"true"` sign alike, as they do on every platform that reads a query. Fields beside the parameters that no template names
 * are not signed, and refused where callers would take them for signed (`findUnsignedPart`). An object without members is refused where nothing stands before or after it.
 *
 * The payload's part `query` is what the caller has to send where the payload itself is not that: the parameters alone between prefix and suffix, the
 * whole text under `typedData`.
 *
 * @example field `params`: `{"params": {"symbol": "１BTC", "price": 0.1, "note": "a b&c"}}`
 * signs the 44 bytes `symbol=%EF%BC%91BTC&price=0.1&note=a%20b%26c`
 * @example field `params`, sort, encode `none`, suffix `|{data.timestamp}`: `{"params": {"b": "é", "a": 1}, "timestamp": 1700000000000}`
 * signs the 22 bytes `a=1&b=é|1700000000000`, in which é is C3 A9
 *
 * @throws Error when prefix or suffix is one that `findAffixIssue` refuses, or the account lacks a fixed value that they name: configuration never lets it
 *   come here
 */
export function queryPayload(data: JsonObject, rule: QueryRule, context: PayloadContext): Outcome<Payload, Issue> {
  const { prefix, suffix, queryPlace, members } = affixesOf(rule);
  const path = jsonPath('data', [rule.field]);
  const parameters = ownMember(data, rule.field);
  if (!isJsonObject(parameters)) {
    return invalid(path, fieldMessage(parameters, 'must be an object with the parameters to sign'));
  }
  const unsigned = findUnsignedPart(data, members);
  if (unsigned !== undefined) return refused(unsigned);
  const query = queryText([rule.field], parameters, rule);
  if (!query.ok) return query;
  const before = fillTemplate(prefix, { timestamp: rule.timestamp }, data, context);
  if (!before.ok) return before;
  const after = fillTemplate(suffix, { timestamp: rule.timestamp }, data, context);
  if (!after.ok) return after;
  const issue = findMisplacedQuery(data, queryPlace, path);
  if (issue !== undefined) return refused(issue);

  const text = before.value.text + query.value.text + after.value.text;
  if (text === '') return invalid(path, 'must have at least one parameter: an empty text is not signed');
  const parts = { ...before.value.parts, ...after.value.parts };
  if (rule.typedData !== undefined) {
    const wrapped = wrapAsTypedData(text, rule.typedData, context);
    return wrapped.ok ? bytesPayload(wrapped.value, { ...parts, query: text }) : wrapped;
  }
  return textPayload(text, text === query.value.text ? parts : { ...parts, query: query.value.text });
}

function prepare(rule: QueryRule): Affixes {
  const prefix = affixTokens('prefix', rule.prefix ?? '');
  const suffix = affixTokens('suffix', rule.suffix ?? '');
  const namesPath = [...prefix, ...suffix].some((token) => token.kind === 'request' && token.name === 'path');
  const { signed, fixed } = membersOf([...prefix, ...suffix]);
  return {
    prefix,
    suffix,
    queryPlace: namesPath ? 'apart' : 'path',
    members: { signed: [rule.field, ...signed], fixed },
  };
}

function affixTokens(option: 'prefix' | 'suffix', affix: string): readonly TemplateToken[] {
  const issue = findAffixIssue(affix);
  if (issue !== undefined) throw new Error(`The query rule's ${option} ${issue.message}.`);
  return templateTokens(affix);
}
