import { memoizeByObject } from '../model/memoize.ts';
import type { Payload, PayloadParts } from '../model/payload.ts';
import type { JwtRule, PayloadRule, PayloadRuleName } from '../model/payload-rule.ts';
import type { SignedContent, SignedFields, SignedType, SignedValue } from '../model/signed-content.ts';
import { decodeBase64, encodeHex } from '../model/text/byte-encodings.ts';
import { decodeJson, toSignedValue } from './decode-json.ts';
import { decodeParameters } from './decode-parameters.ts';
import { readBackpackText } from './read-backpack.ts';
import { readSignDocFields } from './read-sign-doc.ts';
import { readStarknetData } from './read-starknet-data.ts';
import { readTypedData } from './read-typed-data.ts';
import { findSignedParts, getPartText, PATH_FORM, type SignedPart } from './signed-parts.ts';
import { isTooLarge, MAX_SIGNED_LENGTH, type Spellings, type WantedContent } from './signed-value.ts';

/** How policies read what a rule signs. */
export interface SignedReader {
  readonly fields: SignedFields;

  /** Decodes the wanted fields of a payload that this rule made. */
  read(payload: Payload, wanted: WantedContent): SignedContent;
}

type RuleOf<Name extends PayloadRuleName> = Extract<PayloadRule, { readonly rule: Name }>;

const READERS: { readonly [Name in PayloadRuleName]: (rule: RuleOf<Name>) => SignedReader } = {
  jcs: () => TEXT_READER,
  json: ({ encode }) => (encode === 'base64' ? BASE64_TEXT_READER : TEXT_READER),
  raw: () => TEXT_READER,
  query: (rule) => toPartsReader(findSignedParts(rule)),
  prehash: (rule) => toPartsReader(findSignedParts(rule)),
  kraken: () => KRAKEN_READER,
  backpack: () => BACKPACK_READER,
  'typed-data': () => TYPED_DATA_READER,
  'hyperliquid-l1': () => HYPERLIQUID_READER,
  'concat-sorted': () => CONCAT_SORTED_READER,
  'kraken-futures': () => KRAKEN_FUTURES_READER,
  'starknet-typed-data': () => STARKNET_READER,
  'hyperliquid-multi-sig': () => HYPERLIQUID_READER,
  'cosmos-sign-doc': () => COSMOS_READER,
  jwt: (rule) => toTokenReader(rule),
};

/** The reader of a rule. */
export const getSignedReader = memoizeByObject(createReader);

/** A field that is too large is absent, whatever the rule. */
function createReader<Name extends PayloadRuleName>(rule: RuleOf<Name>): SignedReader {
  const reader = READERS[rule.rule](rule);
  return { fields: reader.fields, read: (payload, wanted) => withoutLarge(reader.read(payload, wanted)) };
}

function withoutLarge(content: SignedContent): SignedContent {
  const isLarge = Object.values(content).some(isTooLarge);
  return isLarge ? Object.fromEntries(Object.entries(content).filter(([, value]) => !isTooLarge(value))) : content;
}

/** The fields of all rules of a platform; a field of two types is `dyn`. */
export function mergeSignedFields(rules: readonly PayloadRule[]): SignedFields {
  const fields: Record<string, SignedType> = {};
  for (const rule of rules) {
    for (const [name, type] of Object.entries(getSignedReader(rule).fields)) {
      fields[name] = (fields[name] ?? type) === type ? type : 'dyn';
    }
  }
  return fields;
}

const NOTHING: SignedContent = {};
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `text`: the signed bytes if they are UTF-8. `message`: the JSON object or array in them. */
const TEXT_READER: SignedReader = {
  fields: { text: 'string', message: 'dyn' },
  read: (payload, wanted) => {
    const text = payload.encoding === 'utf8' ? payload.text : decodeUtf8(payload.bytes);
    if (text === undefined) return NOTHING;
    return contentOf({ text, message: wanted.fields.has('message') ? decodeJson(text, wanted.spellings) : undefined });
  },
};

/** The same of the text whose base64 is signed. */
const BASE64_TEXT_READER: SignedReader = {
  fields: TEXT_READER.fields,
  read: (payload, wanted) => {
    const bytes = decodeBase64(payload.text);
    const text = bytes === undefined ? undefined : decodeUtf8(bytes);
    return text === undefined ? NOTHING : TEXT_READER.read({ ...payload, text }, wanted);
  },
};

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Field types of template parts. */
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

function toPartsReader(parts: readonly SignedPart[] | undefined): SignedReader {
  const fields: Record<string, SignedType> = {};
  for (const { name, encode } of parts ?? []) {
    if (name === 'fixed') continue;
    fields[name] = PART_TYPES[name];
    if (name === 'path' && encode !== undefined) fields['query'] = PART_TYPES.query;
  }
  return { fields, read: (payload, wanted) => readParts(parts ?? [], payload.parts, wanted) };
}

/** Nothing if one of the parts could be taken for another. */
function readParts(parts: readonly SignedPart[], signed: PayloadParts, wanted: WantedContent): SignedContent {
  const content: Record<string, SignedValue> = {};
  const data = new Map<string, string>();
  for (const part of parts) {
    const { name, member, form, encode } = part;
    if (name === 'fixed') continue;
    const text = getPartText(part, signed);
    if (text === undefined || !form.test(text)) return NOTHING;
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

/** The content type is not signed: undefined for text with which a form could begin a parameter. */
function decodeJsonBody(text: string, spellings: Spellings): SignedValue | undefined {
  return /[&;]/.test(text) ? undefined : decodeJson(text, spellings);
}

/** The path ends before the hash. Nothing says where the nonce ends but the body's first sign. */
const KRAKEN_READER: SignedReader = {
  fields: { path: 'string', nonce: 'string', body: 'dyn' },
  read: ({ parts }, wanted) => {
    const { path, data: { nonce } = {}, body = '' } = parts;
    if (path === undefined || !PATH_FORM.test(path)) return NOTHING;
    if (/^[0-9]/.test(body)) return contentOf({ path });
    const { fields, spellings } = wanted;
    if (!fields.has('body')) return contentOf({ path, nonce });
    const isJson = /^[[{]/.test(body);
    const decoded = isJson ? decodeJsonBody(body, spellings) : decodeParameters(body, 'percent', spellings);
    return contentOf({ path, nonce, body: decoded });
  },
};

/** `params` where there is one set of parameters; `orders` has all sets. */
const BACKPACK_READER: SignedReader = {
  fields: {
    instruction: 'string',
    params: 'map<string, string>',
    orders: 'list<dyn>',
    timestamp: 'string',
    window: 'string',
  },
  read: ({ text }, { spellings }) => contentOf(readBackpackText(text, spellings)),
};

const TYPED_DATA_READER: SignedReader = {
  fields: { domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>' },
  read: ({ content }) => (content?.kind === 'typed-data' ? contentOf(readTypedData(content.typedData)) : NOTHING),
};

/**
 * `vaultAddress` is empty and `expiresAfter` 0 where the action has none; `multiSigUser` and
 * `outerSigner` are empty where it is no multi-sig action. Of a multi-sig envelope, `action` is the
 * action in it, so that one condition decides on an action under either rule.
 */
const HYPERLIQUID_READER: SignedReader = {
  fields: {
    action: 'map<string, dyn>',
    nonce: 'int',
    vaultAddress: 'string',
    expiresAfter: 'int',
    multiSigUser: 'string',
    outerSigner: 'string',
  },
  read: ({ content }, { spellings }) => {
    if (content?.kind !== 'hyperliquid') return NOTHING;
    const { action, nonce, vaultAddress, expiresAfter, multiSig } = content.request;
    return contentOf({
      action: toSignedValue(action, spellings),
      nonce: BigInt(nonce),
      vaultAddress: vaultAddress === null ? '' : `0x${encodeHex(vaultAddress)}`,
      expiresAfter: BigInt(expiresAfter ?? 0),
      multiSigUser: multiSig?.multiSigUser ?? '',
      outerSigner: multiSig?.outerSigner ?? '',
    });
  },
};

/**
 * Nothing delimits the parameters, so that a policy cannot read them: `{a: '1b2'}` signs like `{a:
 * '1', b: '2'}`. The method ends before the id's digits, and the nonce has 13 digits.
 */
const CONCAT_SORTED_READER: SignedReader = {
  fields: { method: 'string', nonce: 'string' },
  read: ({ parts }) => contentOf({ method: parts.method, nonce: parts.data?.['nonce'] }),
};

/**
 * The path begins at the one `/api/`. The last parameter ends in one place only without a nonce and
 * without a digit that a reader could take for one.
 */
const KRAKEN_FUTURES_READER: SignedReader = {
  fields: { path: 'string', params: 'map<string, string>' },
  read: ({ parts }, { spellings }) => {
    const { path, query = '', body = '', data: { nonce } = {} } = parts;
    if (path === undefined || !PATH_FORM.test(path) || path.lastIndexOf('/api/') !== 0) return NOTHING;
    const postData = query + body;
    if (nonce !== undefined || /[0-9]$/.test(postData)) return contentOf({ path });
    return contentOf({ path, params: decodeParameters(postData, 'percent', spellings) });
  },
};

/** `message` has the numbers of felts, `texts` their short strings. */
const STARKNET_READER: SignedReader = {
  fields: { domain: 'map<string, dyn>', primaryType: 'string', message: 'map<string, dyn>', texts: 'map<string, dyn>' },
  read: ({ content }) =>
    content?.kind === 'starknet-typed-data' ? contentOf(readStarknetData(content.typedData)) : NOTHING,
};

const COSMOS_READER: SignedReader = {
  fields: {
    chainId: 'string',
    accountNumber: 'dyn',
    sequence: 'dyn',
    messages: 'list<dyn>',
    memo: 'string',
    timeoutHeight: 'dyn',
    unordered: 'dyn',
    fee: 'map<string, dyn>',
    signers: 'list<dyn>',
    extensionOptions: 'list<dyn>',
    nonCriticalExtensionOptions: 'list<dyn>',
  },
  read: ({ content, bytes }) =>
    content?.kind === 'cosmos' && bytes.length <= MAX_SIGNED_LENGTH ? readSignDocFields(content.signDoc) : NOTHING,
};

const TOKEN_FIELDS: SignedFields = { header: 'map<string, dyn>', claims: 'map<string, dyn>' };

/** `header` and `claims` from the signed bytes; `params` as they were hashed. */
function toTokenReader({ queryHash }: JwtRule): SignedReader {
  if (queryHash === undefined) return { fields: TOKEN_FIELDS, read: ({ text }, wanted) => readToken(text, wanted) };
  const { encode = 'percent' } = queryHash;
  return {
    fields: { ...TOKEN_FIELDS, params: PART_TYPES.params },
    read: ({ text, parts: { query: params = '' } }, wanted) => {
      const token = readToken(text, wanted);
      if (!wanted.fields.has('params')) return token;
      return { ...token, ...contentOf({ params: decodeParameters(params, encode, wanted.spellings) }) };
    },
  };
}

function readToken(text: string, { fields, spellings }: WantedContent): SignedContent {
  const parts = text.split('.');
  const [header, claims] = TOKEN_PARTS.map((name, index) =>
    fields.has(name) ? decodeTokenPart(parts[index] ?? '', spellings) : undefined,
  );
  return contentOf({ header, claims });
}

const TOKEN_PARTS = ['header', 'claims'] as const;

function decodeTokenPart(base64Url: string, spellings: Spellings): SignedValue | undefined {
  const padding = '='.repeat((4 - (base64Url.length % 4)) % 4);
  const bytes = decodeBase64(base64Url.replaceAll('-', '+').replaceAll('_', '/') + padding);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  return text === undefined ? undefined : decodeJson(text, spellings);
}

/** The fields of all rules, for policies whose platform is not known. */
export const ALL_SIGNED_FIELDS: SignedFields = Object.fromEntries(
  [
    PART_TYPES,

    TOKEN_FIELDS,
    ...[
      TEXT_READER,
      KRAKEN_READER,
      BACKPACK_READER,
      TYPED_DATA_READER,
      HYPERLIQUID_READER,
      CONCAT_SORTED_READER,
      KRAKEN_FUTURES_READER,
      STARKNET_READER,
      COSMOS_READER,
    ].map(toFields),
  ]
    .flatMap((fields) => Object.keys(fields))
    .map((field) => [field, 'dyn']),
);

function toFields({ fields }: SignedReader): SignedFields {
  return fields;
}

/** Without the members that are undefined. */
function contentOf(members: { readonly [field: string]: SignedValue | undefined }): SignedContent {
  const content: Record<string, SignedValue> = {};
  for (const [field, value] of Object.entries(members)) setField(content, field, value);
  return content;
}

function setField(content: Record<string, SignedValue>, field: string, value: SignedValue | undefined): void {
  if (value !== undefined) content[field] = value;
}
