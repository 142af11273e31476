import type { PayloadParts, SignedContent, SignedFields, SignedType, SignedValue } from '../../model/payload.ts';
import type { SignedReader } from '../rule-module.ts';
import type { BodyForm, BodyHash, PathForm, QueryStyle, TimestampForm } from '../rule-options.ts';
import { isDelimited, type RequestPlaceholder, type TemplateToken } from '../template.ts';
import { decodeJson } from './decode-json.ts';
import { decodeParameters, type ParameterEncoding } from './decode-parameters.ts';
import type { Spellings, WantedContent } from './signed-value.ts';

/*
 * Most venues sign the parts of a request without anything between them: `/a` and the body `b` sign
 * like `/ab`. The venue splits the text again by the request that it receives, so a policy can read
 * a part only if there is one way to split the text. To make that so, each part gets the characters
 * that it may have here; requests with others have no readable parts.
 */

/** A part of a signed text; `fixed` is literal, configured or a hash. */
interface SignedPart {
  readonly name: 'timestamp' | 'method' | 'path' | 'target' | 'query' | 'body' | 'params' | 'data' | 'fixed';
  /** Member of `data`, for the name `data`. */
  readonly member?: string;
  /** How parameters in it are encoded; absent: it has none. A path has them behind its `?`. */
  readonly encode?: ParameterEncoding;
  /** Texts that can be distinguished from adjacent parts. */
  readonly form: RegExp;
  /** What is between a path and the query signed behind it; absent: no query follows it. */
  readonly beforeQuery?: '' | '?';
}

/** A part with what decides where it ends. */
export interface Part extends SignedPart {
  readonly isFixedLength: boolean;
  readonly mayBeEmpty: boolean;
  /** Characters that it may have, and that it may start with; one represents all outside ASCII. */
  readonly characters: string;
  readonly first: string;
}

const OUTSIDE_ASCII = '\u00e9';
const ALL = `${Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')}${OUTSIDE_ASCII}`;

/**
 * As HTTP clients send it (see `renderPath`), without brackets, with which JSON bodies begin;
 * without `%` and `;`, which servers may decode or cut off before they look the path up.
 */
const PATH_CLASS = '[!$&-:=@-Z_a-z~]';
/** A path without empty segments, which some servers drop. */
export const PATH_FORM = new RegExp(`^(?!.*//)/${PATH_CLASS}*$`);
/** As HTTP clients send it, without brackets. */
const QUERY_CLASS = '[!$-&(-;=?-Z_a-z~]';
/** Signed before it is encoded. */
const UNENCODED_CLASS = '[^[{\\p{Cc}]';

const METHOD_FORM = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/i;
/** Seconds since 1970-01-01T00:00:00Z until 2286. */
const TEN_DIGITS_FORM = /^[1-9][0-9]{9}$/;
const ANY_FORM = /^[\s\S]*$/;

const PATH = part('path', PATH_CLASS, { first: '/', form: PATH_FORM });
/** Ends before digits behind it, whatever their number. */
const PATH_BEFORE_DIGITS = { ...PATH, form: new RegExp(`^(?!.*//)/${PATH_CLASS}*(?<![0-9])$`) };
/** A caller may put any part of it in the path: without dot segments, wherever the path ends. */
const TARGET = part('target', PATH_CLASS, { first: '/', form: new RegExp(`^(?!.*/[/.])/${PATH_CLASS}*$`) });
const METHOD = part('method', '[A-Za-z]', { first: 'GPDHOgpdho', form: METHOD_FORM });
const TIME = part('timestamp', '[0-9TZ:.-]', {});
const JSON_BODY = part('body', '[\\s\\S]', { first: '[{', mayBeEmpty: true, form: /^(?:[[{][\s\S]*)?$/ });
const FORM_BODY = part('body', QUERY_CLASS, { mayBeEmpty: true, encode: 'percent' });
const UNENCODED_BODY = part('body', UNENCODED_CLASS, { mayBeEmpty: true, encode: 'none' });
const HASHED_BODY = part('body', '[0-9a-f]', { isFixedLength: true, form: ANY_FORM });
const FIXED = part('fixed', '\\P{Cc}', { isFixedLength: true, form: ANY_FORM });
const FREE_MEMBER = part('data', '\\P{Cc}', { mayBeEmpty: true });
const TEN_DIGITS = part('data', '[0-9]', { isFixedLength: true, form: TEN_DIGITS_FORM });
/** All digits between a path that ends with none and a JSON body: their number is certain. */
const ALL_DIGITS = part('data', '[0-9]', { isFixedLength: true, form: /^[0-9]+$/ });

function part(name: Part['name'], characterClass: string, more: Partial<Part>): Part {
  const characters = charactersOf(new RegExp(`^${characterClass}$`, 'u'));
  const form = new RegExp(`^${characterClass}*$`, 'u');
  return { name, form, isFixedLength: false, mayBeEmpty: false, characters, first: characters, ...more };
}

function charactersOf(form: RegExp): string {
  return [...ALL].filter((character) => form.test(character)).join('');
}

function queryPart(encode: ParameterEncoding): Part {
  return part('query', encode === 'none' ? UNENCODED_CLASS : QUERY_CLASS, { mayBeEmpty: true, encode });
}

/** A path with the query that it may have behind a question mark. */
function pathWithQuery(encode: ParameterEncoding): Part {
  const { characters } = queryPart(encode);
  const query = encode === 'none' ? UNENCODED_CLASS : QUERY_CLASS;
  const form = new RegExp(`^(?![^?]*//)/${PATH_CLASS}*(?:\\?${query}*)?$`, 'u');
  return { ...PATH, characters: PATH.characters + characters, form, encode };
}

const PART_TYPES: { readonly [Name in Exclude<SignedPart['name'], 'fixed'>]: SignedType } = {
  timestamp: 'string',
  method: 'string',
  path: 'string',
  target: 'string',
  query: 'map<string, string>',
  body: 'dyn',
  params: 'map<string, string>',
  data: 'map<string, string>',
};

/** All fields of a rule that signs parts. */
export const PART_FIELDS: SignedFields = PART_TYPES;

/**
 * How policies read the parts of a signed text, given in order. They read none if the template
 * leaves it open where one of them ends.
 */
export function readParts(all: readonly Part[]): SignedReader {
  const parts = all.every((_, index) => hasCertainEnd(all, index)) ? all : [];
  const fields: Record<string, SignedType> = {};
  for (const { name, encode } of parts) {
    if (name === 'fixed') continue;
    fields[name] = PART_TYPES[name];
    if (name === 'path' && encode !== undefined) fields['query'] = PART_TYPES.query;
  }
  return { fields, read: (payload, wanted) => readTexts(parts, payload.parts, wanted) };
}

/** Nothing if one of the parts could be taken for another. */
function readTexts(parts: readonly SignedPart[], signed: PayloadParts, wanted: WantedContent): SignedContent {
  const content: Record<string, SignedValue> = {};
  const data = new Map<string, string>();
  for (const part of parts) {
    const { name, member, form, encode } = part;
    if (name === 'fixed') continue;
    const text = getPartText(part, signed);
    if (text === undefined || !form.test(text)) return {};
    if (name === 'data') data.set(member ?? '', text);
    else if (name === 'path') readPath(content, text, encode, wanted);
    else if (wanted.fields.has(name)) setField(content, name, readPart(name, text, encode, wanted.spellings));
  }
  return data.size === 0 ? content : { ...content, data };
}

function readPath(
  content: Record<string, SignedValue>,
  text: string,
  encode: SignedPart['encode'],
  wanted: WantedContent,
): void {
  const mark = encode === undefined ? -1 : text.indexOf('?');
  content['path'] = mark === -1 ? text : text.slice(0, mark);
  if (encode !== undefined && wanted.fields.has('query')) {
    setField(content, 'query', decodeParameters(mark === -1 ? '' : text.slice(mark + 1), encode, wanted.spellings));
  }
}

function setField(content: Record<string, SignedValue>, field: string, value: SignedValue | undefined): void {
  if (value !== undefined) content[field] = value;
}

function readPart(
  name: SignedPart['name'],
  text: string,
  encode: SignedPart['encode'],
  spellings: Spellings,
): SignedValue | undefined {
  if (name === 'method') return text.toUpperCase();
  if (name === 'body' && encode === undefined) return text === '' ? NO_MEMBERS : decodeJsonBody(text, spellings);
  return encode === undefined ? text : decodeParameters(text, encode, spellings);
}

const NO_MEMBERS: ReadonlyMap<string, SignedValue> = new Map();

/**
 * Decodes a JSON body. The content type is not signed: undefined for text with which a form could
 * begin a parameter.
 */
export function decodeJsonBody(text: string, spellings: Spellings): SignedValue | undefined {
  return /[&;]/.test(text) ? undefined : decodeJson(text, spellings);
}

/** The text of a part; undefined where the rule did not sign it. */
function getPartText({ name, member = '', beforeQuery }: SignedPart, parts: PayloadParts): string | undefined {
  const { path, query = '' } = parts;
  if (name === 'data') return parts.data?.[member];
  if (name === 'params') return parts.query;
  if (name === 'path' || name === 'target') {
    return path === undefined || beforeQuery === undefined || query === '' ? path : path + beforeQuery + query;
  }
  return name === 'fixed' ? undefined : parts[name];
}

/** Parameters that the rule adds to its templates. */
export function toParamsPart(encode: ParameterEncoding): Part {
  const { form, ...params } = encode === 'none' ? FREE_MEMBER : queryPart(encode);
  return { ...params, name: 'params', encode, form: encode === 'none' ? ANY_FORM : form };
}

/** How the placeholders of a template are rendered. */
interface Forms {
  readonly timestamp?: TimestampForm | undefined;
  readonly path?: PathForm;
  readonly query?: Pick<QueryStyle, 'encode'>;
  readonly body?: BodyForm;
  readonly bodyHash?: BodyHash;
  /** Whether parameters are signed beside the template. */
  readonly hasParams?: boolean;
}

/** The parts of a template's text, in order. */
export function toParts(tokens: readonly TemplateToken[], forms: Forms): readonly Part[] {
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    const isJoined = isRequest(before, 'path') && (isRequest(token, 'query') || isRequest(token, '?query'));
    return isJoined ? [] : [toPart(tokens, index, forms)];
  });
}

function isRequest(token: TemplateToken | undefined, name: RequestPlaceholder): boolean {
  return token?.kind === 'request' && token.name === name;
}

/**
 * A path with the query behind it: behind a `?`, or directly, so that nothing says where the path
 * ends.
 */
function toPathPart(tokens: readonly TemplateToken[], index: number, forms: Forms): Part {
  const { query, hasParams = false } = forms;
  const next = tokens[index + 1];
  if (isRequest(next, 'query')) return { ...TARGET, beforeQuery: '' };
  if (isRequest(next, '?query')) return { ...pathWithQuery(query?.encode ?? 'percent'), beforeQuery: '?' };
  if (isBetweenPathAndBody(tokens, index + 1, forms)) return PATH_BEFORE_DIGITS;
  const hasOwnQuery = hasParams || tokens.some((token) => isRequest(token, 'query'));
  return hasOwnQuery ? PATH : pathWithQuery('percent');
}

function toPart(tokens: readonly TemplateToken[], index: number, forms: Forms): Part {
  const token = tokens[index] as TemplateToken;
  if (token.kind === 'text') return { ...FIXED, characters: token.text, first: token.text.slice(0, 1) };
  if (token.kind === 'account') return FIXED;
  if (isRequest(token, 'path')) return toPathPart(tokens, index, forms);
  if (token.kind === 'request') return toRequestPart(token.name, forms);
  if (isDelimited(tokens, index)) return { ...FREE_MEMBER, member: token.name };
  return { ...(isBetweenPathAndBody(tokens, index, forms) ? ALL_DIGITS : TEN_DIGITS), member: token.name };
}

/** Whether a member of the data is between a path without a query and a JSON body or the end. */
function isBetweenPathAndBody(tokens: readonly TemplateToken[], index: number, forms: Forms): boolean {
  const [before, member, after] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (member?.kind !== 'data' || !isRequest(before, 'path')) return false;
  if (forms.path?.query !== 'none') return false;
  if (after === undefined) return true;
  const { body = 'json', bodyHash = 'none' } = forms;
  return isRequest(after, 'body') && isJson(body) && bodyHash === 'none';
}

function toRequestPart(name: RequestPlaceholder, { timestamp, query, body = 'json', bodyHash = 'none' }: Forms): Part {
  const { encode = 'percent' } = query ?? {};
  if (name === 'query') return queryPart(encode);
  if (name === '?query') return { ...queryPart(encode), first: '?' };
  if (name === 'timestamp') return { ...TIME, isFixedLength: timestamp !== undefined && timestamp !== 's-fraction' };
  if (name !== 'body') return METHOD;
  const asSent = isJson(body) ? JSON_BODY : body === 'form-sorted-unencoded' ? UNENCODED_BODY : FORM_BODY;
  return bodyHash === 'none' ? asSent : { ...HASHED_BODY, ...(asSent.encode && { encode: asSent.encode }) };
}

/** Policies read no form that may be sent in place of JSON. */
function isJson(body: BodyForm): boolean {
  return body === 'json' || body === 'json-or-form';
}

function hasCertainEnd(parts: readonly Part[], index: number): boolean {
  const one = parts[index] as Part;
  return one.isFixedLength || endsBefore(parts, index + 1, one.characters);
}

/**
 * Whether a run of these characters ends in one place only: before a character that it may not
 * have, or before parts of fixed length up to such a character or the end.
 */
function endsBefore(parts: readonly Part[], index: number, run: string): boolean {
  const next = parts[index];
  if (next === undefined) return true;
  const isDelimiter = ![...next.first].some((character) => run.includes(character));
  if (isDelimiter) return !next.mayBeEmpty || endsBefore(parts, index + 1, run);
  return next.isFixedLength && endsBefore(parts, index + 1, run + next.characters);
}
