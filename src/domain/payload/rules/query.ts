import { z } from 'zod';
import { type JsonObject, jsonPath, ownMember } from '../../model/json.ts';
import type { Payload } from '../../model/payload.ts';
import { type FilledParts, fillTemplate } from '../fill-template.ts';
import { invalid, type PayloadTools, textPayload } from '../payload-outcome.ts';
import { checkJoined, checkQueryPlace, listNames, renderParameters } from '../request-parts.ts';
import type { RuleModule } from '../rule-module.ts';
import { eip712Domain, fieldName, queryStyle, templateSchema, timestampForm } from '../rule-options.ts';
import { PART_FIELDS, readParts, toParamsPart, toParts } from '../signed/template-parts.ts';
import { findAffixIssue, findUnusedOptions, parseTemplate, type TemplateToken } from '../template.ts';
import { encodeTypedData, isMemberName, isStructName, MAX_TYPED_TEXT } from '../typed-data/eip712.ts';

/** Some venues use a colon, as in HyperliquidTransaction:UsdSend. */
const TYPE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_:]{0,63}$/;
const MEMBER_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const TYPE_NAME_MESSAGE =
  'must be the name of a struct type: 1 to 64 letters, digits, _ or :, starting with a letter or _';

const typedDataWrap = z.strictObject({
  domain: eip712Domain,
  primaryType: z
    .string()
    .regex(TYPE_NAME_PATTERN, TYPE_NAME_MESSAGE)
    .refine(isStructName, 'must not be a name reserved by EIP-712, nor __proto__'),
  member: z
    .string()
    .regex(MEMBER_NAME_PATTERN, 'must be 1 to 64 letters, digits or _, not starting with a digit')
    .refine(isMemberName, 'must not be __proto__'),
});

const affix = templateSchema(findAffixIssue);

const schema = z.strictObject({
  rule: z.literal('query'),
  field: fieldName.default('params').describe('Member of data with the parameters. Default: params.'),
  ...queryStyle,
  prefix: affix.exactOptional().describe('Template of the text before the parameters.'),
  suffix: affix.exactOptional().describe('Template of the text after the parameters.'),
  timestamp: timestampForm.exactOptional().describe('Format of {timestamp} in prefix and suffix, as in rule prehash.'),
  body: z
    .enum(['form'])
    .exactOptional()
    .describe(
      'form: a request may have more parameters in a form body, data.body, which are signed behind those of the query without a delimiter. Default: it has none.',
    ),
  typedData: typedDataWrap
    .exactOptional()
    .describe('The text is signed as the only member of an EIP-712 message. Algorithm eip712 only.'),
});

/** `k=v&k=v` over the parameters in one field. */
export type QueryRule = z.output<typeof schema>;

/**
 * Rule `query`: the members of one object of `data` as `name=value` joined by `&`. Values are
 * strings, numbers without an exponent (as JSON.stringify) and booleans. Unless sorted or not
 * encoded, a list of them gives one pair for each element, and a text in place of the object is
 * signed verbatim.
 *
 * - `sort`: by the UTF-16 code units of the names, else in the order sent, where integer names are
 *   rejected
 * - `encode`: `percent` keeps only RFC 3986 §2.3 unreserved characters (a space is `%20`); `none`
 *   rejects `&` in a value, `&` or `=` in a name, and control characters
 * - `prefix`, `suffix`: templates as in rule
 *   `prehash`, with object bodies as compact JSON and without `{query}`; a path in them has no
 *   query. `timestamp`: the form of their `{timestamp}`
 * - `body`: `form`: the parameters in `data.body`, of other names, follow those of the query
 *   without a delimiter, as Binance signs
 * - `typedData`: the text becomes the one string member of an EIP-712 message
 *
 * `1`, `"1"` and `["1"]`, `true` and `"true"`, an object and its text sign alike. So do, by the
 * venue's design, texts of a query and a body that are the same when joined. Other members are not
 * signed, and rejected where callers may expect otherwise (see `findUnsignedPart`); an empty text
 * is rejected.
 *
 * @example field `params`: `{"params": {"symbol": "１BTC", "price": 0.1, "note": "a
 *   b&c"}}` signs the 44 bytes `symbol=%EF%BC%91BTC&price=0.1&note=a%20b%26c`
 * @example field `params`, sort, encode `none`, suffix `|{data.timestamp}`: `{"params": {"b": "é",
 *   "a": 1}, "timestamp": 1700000000000}` signs the 22 bytes `a=1&b=é|1700000000000`, é as C3 A9
 * @throws Error for a missing fixed value, which a validated configuration rules out
 */
export const query: RuleModule<typeof schema> = {
  schema,
  fitsFormats: true,
  algorithms: ['eip712'],
  algorithmsOption: 'typedData',
  templates: getTemplates,
  members: ({ field, body }) => (body === undefined ? [field] : [field, 'body']),
  encodedWhenSent: ({ encode }) => (encode === 'none' ? ['query'] : []),
  build: (data, rule, context) => {
    const [prefix = [], suffix = []] = getTemplates(rule).map(parseTemplate);
    const path = jsonPath('data', [rule.field]);
    const query = renderParameters([rule.field], ownMember(data, rule.field), rule);
    const form = renderFormBody(data, rule, query);
    const parts: FilledParts = { query, ...(form === '' ? {} : { body: form }) };
    const before = fillTemplate(prefix, { timestamp: rule.timestamp }, data, context, parts);
    const after = fillTemplate(suffix, { timestamp: rule.timestamp }, data, context, parts);
    checkQueryPlace(data, parts.path === undefined ? 'path' : 'apart', path);
    checkJoined(data, [...prefix, PARAMETERS, ...suffix]);

    const text = before + query + form + after;
    if (text === '') return invalid(path, 'must have at least one parameter, because an empty payload is not signed');
    if (rule.typedData === undefined) return textPayload(text, parts);
    return { ...wrapAsTypedData(text, rule.typedData, context), parts };
  },
  fields: PART_FIELDS,
  reader: ({ encode = 'percent', timestamp, prefix = '', suffix = '', body }) => {
    const toAffix = (affix: string) => toParts(parseTemplate(affix), { timestamp, query: { encode }, hasParams: true });
    const reader = readParts([...toAffix(prefix), toParamsPart(encode), ...toAffix(suffix)]);
    if (body === undefined) return reader;
    return { fields: reader.fields, read: (payload, wanted) => reader.read(withFormBody(payload), wanted) };
  },
  issues: (rule) => [
    ...findUnusedOptions(rule, ['timestamp'], getTemplates(rule), 'prefix or suffix'),
    ...(rule.body === undefined || mayHaveBody(rule) ? [] : [{ path: ['body'], message: BODY_CONFLICT }]),
  ],
};

/** Parameters of a form body behind those of the query; empty without them. */
function renderFormBody(data: JsonObject, rule: QueryRule, query: string): string {
  const value = ownMember(data, 'body');
  if (rule.body === undefined || value === undefined) return '';
  const body = renderParameters(['body'], value, rule);
  if (body === '') return '';
  if (query === '') invalid('data.body', `must be absent if data.${rule.field} is empty: put its parameters there`);
  const names = listNames(query);
  const repeated = listNames(body).find((name) => names.includes(name));
  if (repeated === undefined) return body;
  return invalid(jsonPath('data', ['body', repeated]), 'must not be a parameter of both query and body');
}

/** The venue takes it for 13 digits, so that the text can only be split behind it. */
const ENDS_WITH_TIME = /(?:^|&)timestamp=[1-9][0-9]{12}$/;

/**
 * With the parameters of a form body among those of the query, where the venue takes them: policies
 * read them as one. With no parameters if the signed text could be split elsewhere.
 */
function withFormBody(payload: Payload): Payload {
  const { query = '', body, ...others } = payload.parts;
  if (body === undefined) return payload;
  if (!ENDS_WITH_TIME.test(query) || !/^[A-Za-z]/.test(body)) return { ...payload, parts: others };
  return { ...payload, parts: { ...others, query: `${query}&${body}` } };
}

const BODY_CONFLICT =
  'must be absent beside sort, encode none, prefix, suffix, typedData, a required parameter, or the field body';

function mayHaveBody({ field, sort, encode, parameters = {}, prefix, suffix, typedData }: QueryRule): boolean {
  if (sort || encode === 'none' || field === 'body') return false;
  const isRequired = Object.values(parameters).includes('required');
  return !isRequired && [prefix, suffix, typedData].every((option) => option === undefined);
}

/** Stands for the parameters between prefix and suffix. */
const PARAMETERS: TemplateToken = { kind: 'request', name: 'query' };

function getTemplates({ prefix = '', suffix = '' }: QueryRule): readonly string[] {
  return [prefix, suffix];
}

/** The one string member of an EIP-712 message. */
function wrapAsTypedData(
  text: string,
  { domain, primaryType, member }: z.output<typeof typedDataWrap>,
  tools: PayloadTools,
): Payload {
  if (text.length > MAX_TYPED_TEXT) {
    return invalid('data', `must not result in a text of more than ${MAX_TYPED_TEXT} characters`);
  }
  const types = { [primaryType]: [{ name: member, type: 'string' }] };
  return encodeTypedData({ domain, types, primaryType, message: { [member]: text } }, tools);
}
