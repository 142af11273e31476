import type { JsonObject, JsonValue } from '../model/json.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { Payload } from '../model/payload.ts';
import type { FixedValues, PayloadRule } from '../model/payload-rule.ts';
import {
  type HttpSend,
  listSendTemplates,
  parseSendTemplate,
  type Send,
  type SendEncoding,
  type SendToken,
  type WrittenRequest,
} from '../model/send.ts';
import { decodeBase64, encodeBase64, percentEncode } from '../model/text/byte-encodings.ts';
import { isJsonObject, ownMember } from '../model/text/json-path.ts';
import { readOrRefuse } from './payload-outcome.ts';
import { getRuleModule } from './payload-rules.ts';
import { renderPath } from './request-parts.ts';
import { encodeTxRaw } from './sign-doc.ts';

/** What a request is written from. */
export interface SignedSource {
  readonly rule: PayloadRule;
  readonly data: JsonObject;
  readonly payload: Payload;
  /** The account's fixed values. */
  readonly values: FixedValues;
  /** As released; null in a dry run. */
  readonly signature: string | null;
}

/**
 * Writes a signed request as the venue takes it. Signed parts are in it as they were signed, except
 * parameters that a venue signs before they are percent-encoded, which are encoded here.
 *
 * @example headers `{"OK-ACCESS-KEY": "{account.apiKey}", "OK-ACCESS-SIGN": "{signature}"}` of an
 *   account without the value `apiKey`: `{"OK-ACCESS-KEY": "{apiKey}", "OK-ACCESS-SIGN": "…"}`, and
 *   `missing` is `["apiKey"]`
 */
export function writeRequest(send: Send, source: SignedSource): WrittenRequest {
  const writer = new RequestWriter(send, source);
  if (!('message' in send)) return writer.writeHttp(send);
  const message = JSON.stringify(writer.toJson(send.message));
  return { message, missing: [...writer.missing] };
}

const getTokens = memoizeByObject(
  (send: Send): ReadonlyMap<string, readonly SendToken[]> =>
    new Map(listSendTemplates(send).map((template) => [template, parseSendTemplate(template)])),
);

type Alternative<Template> = Template | { readonly methods: readonly string[]; readonly as: Template };
type Alternatives<Template> = Template | readonly Alternative<Template>[];

/** Placeholders that are empty where the request has nothing of them. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['query', 'body', 'params']);

/** What an alternative must have; a dry run has no signature, and the caller adds the rest. */
const REQUEST_PARTS = /^(?:data\.|(?:timestamp|method|path|query|params|body)$)/;
/** What an optional header or member must have. */
const OPTIONAL_PARTS = /^(?:data\.|account\.|(?:timestamp|method|path|query|params|body)$)/;

/** A body that is the JSON of one value. */
const WHOLE_JSON = /^\{[^{}]*:json\}$/;

/** Stands alone for a query or body that the venue does not sign. */
const UNSIGNED = '{unsigned}';
/** Stands alone for a query or body that the venue ignores. */
const IGNORED = '{ignored}';

const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'DELETE'];

class RequestWriter {
  /** Names of what the service does not hold. */
  readonly missing = new Set<string>();
  readonly #tokens: ReadonlyMap<string, readonly SendToken[]>;
  readonly #from: NonNullable<Send['from']>;
  readonly #source: SignedSource;

  constructor(send: Send, source: SignedSource) {
    this.#tokens = getTokens(send);
    this.#from = send.from ?? {};
    this.#source = source;
  }

  writeHttp({ origins, method: methodTemplate, path, headers = {}, query, body }: HttpSend): WrittenRequest {
    const method = methodTemplate === undefined ? this.#toText('{method}') : methodTemplate;
    const parameters = this.#toForm(this.#choose(query ?? '', method) ?? '');
    const target = this.#toText(origins[0] ?? '') + this.#toText(path ?? '{path}');
    const mark = target.includes('?') ? '&' : '?';
    const content = this.#toBody(this.#choose(body ?? '', method) ?? '', method);
    const written: Record<string, string> = {};
    if (content !== '') written['Content-Type'] = /^[[{]/.test(content) ? JSON_TYPE : FORM_TYPE;
    for (const [name, template] of Object.entries(headers)) {
      const [first = ''] = [template].flat();
      if (name.endsWith('?') && !this.#isPresent(first, OPTIONAL_PARTS)) continue;
      written[name.replace('?', '')] = this.#toText(first);
    }
    return {
      method,
      url: parameters === '' ? target : `${target}${mark}${parameters}`,
      headers: written,
      ...(content === '' ? {} : { body: content }),
      missing: [...this.missing],
    };
  }

  /** A JSON template with its placeholders replaced; one alone gives a value of its own type. */
  toJson(template: JsonValue): JsonValue {
    if (typeof template === 'string') return this.#toJsonText(template);
    if (Array.isArray(template)) return template.map((element: JsonValue) => this.toJson(element));
    if (!isJsonObject(template)) return template;
    const members: Record<string, JsonValue> = {};
    for (const [name, member] of Object.entries(template)) {
      if (name.endsWith('?') && !this.#isPresent(member, OPTIONAL_PARTS)) continue;
      const value = this.toJson(member);
      if (name === '*' && isJsonObject(value)) Object.assign(members, value);
      else members[name.replace('?', '')] = value;
    }
    return members;
  }

  #toJsonText(template: string): JsonValue {
    const tokens = this.#parse(template);
    const [token] = tokens;
    if (tokens.length !== 1 || token === undefined || typeof token === 'string') return this.#toText(template);
    return this.#toValue(token.name, token.encoding) ?? this.#miss(token.name);
  }

  #toText(template: string, encode = (text: string) => text): string {
    return this.#parse(template)
      .map((token) => {
        if (typeof token === 'string') return token;
        const value = this.#toValue(token.name, token.encoding);
        if (value === undefined) return MAY_BE_EMPTY.has(token.name) ? '' : this.#miss(token.name);
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return MAY_BE_EMPTY.has(token.name) ? text : encode(text);
      })
      .join('');
  }

  /** A query or form: every value but whole parameters is percent-encoded. */
  #toForm(template: string): string {
    return template === UNSIGNED || template === IGNORED ? '' : this.#toText(template, percentEncode);
  }

  #toBody(template: string | JsonObject, method: string): string {
    if (typeof template !== 'string') return JSON.stringify(this.toJson(template));
    if (template === UNSIGNED && !METHODS_WITHOUT_BODY.includes(method)) return this.#miss('body');
    return WHOLE_JSON.test(template) ? this.#toText(template) : this.#toForm(template);
  }

  /** The first alternative for this method whose parts the request has. */
  #choose<Template extends string | JsonObject>(given: Alternatives<Template>, method: string): Template | undefined {
    if (!Array.isArray(given)) return given as Template;
    return (given as readonly Alternative<Template>[])
      .filter((one) => typeof one === 'string' || !Array.isArray(one['methods']) || one['methods'].includes(method))
      .map((one) =>
        typeof one !== 'string' && Array.isArray(one['methods']) ? (one['as'] as Template) : (one as Template),
      )
      .find((template) => this.#isPresent(template, REQUEST_PARTS));
  }

  /** Whether the request has all of the named parts that a template writes. */
  #isPresent(template: JsonValue, named: RegExp): boolean {
    if (typeof template === 'string') {
      return this.#parse(template).every(
        (token) => typeof token === 'string' || !named.test(token.name) || this.#find(token.name) !== undefined,
      );
    }
    if (!isJsonObject(template)) return true;
    return Object.entries(template).every(([name, member]) => name.endsWith('?') || this.#isPresent(member, named));
  }

  #miss(name: string): string {
    const own = name.slice(name.lastIndexOf('.') + 1);
    this.missing.add(own);
    return `{${own}}`;
  }

  #parse(template: string): readonly SendToken[] {
    return this.#tokens.get(template) ?? parseSendTemplate(template);
  }

  #toValue(name: string, encoding: SendEncoding | undefined): JsonValue | undefined {
    const value = name === 'params' && encoding === 'json' ? ownMember(this.#source.data, 'params') : this.#find(name);
    return value === undefined || encoding === undefined ? value : ENCODE[encoding](value);
  }

  /** A placeholder's value; undefined: the request has none, or only the caller has it. */
  #find(name: string): JsonValue | undefined {
    const { payload, signature, data } = this.#source;
    const { parts } = payload;
    const [kind = '', ...steps] = name.split('.');
    if (kind === 'account') return this.#findAccountValue(steps[0] ?? '');
    if (kind === 'data') return this.#toSent(name, findMember(data, steps));
    switch (name) {
      case 'signature':
        return signature ?? undefined;
      case 'payload':
        return payload.text;
      case 'tx':
        return signature === null ? undefined : toTransaction(payload, signature);
      case 'timestamp':
        return parts.timestamp ?? ownMember(data, 'timestamp');
      case 'method':
        return (parts.method ?? this.#findMethod())?.toUpperCase();
      case 'path':
        return parts.path ?? this.#findPath();
      case 'query':
      case 'params':
        return this.#toSentPart('query');
      case 'body':
        return this.#toSentPart('body');
      default:
        return undefined;
    }
  }

  #findAccountValue(name: string): string | undefined {
    const { rule, values } = this.#source;
    const own = ownMember(values, name) ?? ownMember(getRuleModule(rule).ownValues?.(rule) ?? {}, name);
    return typeof own === 'string' ? own : undefined;
  }

  /** A method that is not signed, as the caller gives it. */
  #findMethod(): string | undefined {
    const method = ownMember(this.#source.data, 'method');
    return typeof method === 'string' && /^[A-Za-z]+$/.test(method) ? method : this.#findTarget()?.[0];
  }

  /** A path that is not signed, as the caller gives it. */
  #findPath(): string | undefined {
    const { data } = this.#source;
    const given = ownMember(data, 'path') ?? ownMember(data, 'endpoint') ?? null;
    const path = readOrRefuse(() => renderPath({ path: given }));
    return path.ok && !path.value.includes('?') ? path.value : this.#findTarget()?.[1];
  }

  /** `METHOD /path` from a table of such texts. */
  #findTarget(): readonly string[] | undefined {
    const targets = Object.keys(this.#from).map((name) => this.#find(name));
    return targets.flatMap((text) => (typeof text === 'string' && TARGET.test(text) ? [text.split(' ')] : []))[0];
  }

  /** How a member of the data is sent: by its table, else as it is. */
  #toSent(name: string, value: JsonValue | undefined): JsonValue | undefined {
    const table = Object.hasOwn(this.#from, name) ? this.#from[name] : undefined;
    if (table === undefined || value === undefined) return value;
    return Object.keys(table).find((sent) => table[sent] === String(value));
  }

  /** A signed part as it is sent. */
  #toSentPart(name: 'query' | 'body'): string | undefined {
    const { rule, payload } = this.#source;
    const part = payload.parts[name];
    const isEncoded = part === undefined || !getRuleModule(rule).unencoded?.(rule).includes(name);
    return isEncoded ? part : encodePairs(part);
  }
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TARGET = /^[A-Z]+ \/\S*$/;

function findMember(data: JsonObject, steps: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const step of steps) value = isJsonObject(value) ? ownMember(value, step) : undefined;
  return value ?? undefined;
}

/** `a=b c&d=e` as it is sent; the rules let no value have an `&`. */
function encodePairs(text: string): string {
  if (text === '') return '';
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return percentEncode(pair);
      return `${percentEncode(pair.slice(0, equals))}=${percentEncode(pair.slice(equals + 1))}`;
    })
    .join('&');
}

const ENCODE: { readonly [Encoding in SendEncoding]: (value: JsonValue) => JsonValue } = {
  json: (value) => JSON.stringify(value),
  number: (value) => Number(value),
  hex: (value) => `0x${BigInt(String(value)).toString(16)}`,
  rsv: (value) => {
    const [r = '', s = ''] = splitHex(value);
    return { r: toShortHex(r), s: toShortHex(s), v: Number.parseInt(String(value).slice(-2), 16) };
  },
  felts: (value) => JSON.stringify(splitHex(value).map((hex) => BigInt(hex).toString())),
};

/** r and s of `0x` and at least 128 hex digits. */
function splitHex(value: JsonValue): readonly string[] {
  const digits = String(value).slice(2);
  return [`0x${digits.slice(0, 64)}`, `0x${digits.slice(64, 128)}`];
}

/** Without leading zeros, as Hyperliquid's own client writes r and s. */
function toShortHex(hex: string): string {
  return `0x${BigInt(hex).toString(16)}`;
}

/** Base64 of the cosmos.tx.v1beta1.TxRaw. */
function toTransaction({ content }: Payload, signature: string): string | undefined {
  const bytes = decodeBase64(signature);
  return bytes && content?.kind === 'cosmos' ? encodeBase64(encodeTxRaw(content.signDoc, bytes)) : undefined;
}
