import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../model/json.ts';
import type { FixedValues, Payload, PayloadRule } from '../model/payload.ts';
import {
  type Alternatives,
  type HttpSend,
  listAlternatives,
  parseSendTemplate,
  type Send,
  type SendEncoding,
  type WrittenRequest,
} from '../model/send.ts';
import { decodeBase64, encodeBase64, percentEncode } from '../model/text/byte-encodings.ts';
import { invalid, refuseIf, toOutcome } from './payload-outcome.ts';
import { getRuleModule } from './payload-rules.ts';
import { listNames, renderPath } from './request-parts.ts';
import { encodeTxRaw } from './sign-doc.ts';

/** What a request is written from. */
export interface SignedSource {
  readonly rule: PayloadRule;
  readonly data: JsonObject;
  readonly payload: Payload;
  /** The account's fixed values. */
  readonly values: FixedValues;
  /** As released; null before it is made, and in a dry run. */
  readonly signature: string | null;
}

/**
 * Writes a signed request as the venue takes it. Signed parts are in it as they were signed, except
 * parameters that a venue signs before they are percent-encoded, which are encoded here. Ends with
 * an issue (see {@link invalid}) for data that cannot be written; whether it does depends on the
 * data and not on the signature.
 *
 * @example headers `{"OK-ACCESS-KEY": "{account.apiKey}", "OK-ACCESS-SIGN": "{signature}"}` of an
 *   account without the value `apiKey`: `{"OK-ACCESS-KEY": "{apiKey}", "OK-ACCESS-SIGN": "…"}`, and
 *   `missing` is `["apiKey"]`
 */
export function writeRequest(send: Send, source: SignedSource): WrittenRequest {
  refuseIf(getRuleModule(source.rule).findSendIssue?.(source.payload));
  return new RequestWriter(send.from ?? {}, source).write(send);
}

/** Signed parts that are empty where the request has none. */
const WHOLE_PARTS: ReadonlySet<string> = new Set(['query', 'body', 'params']);

/** What an alternative must have; a dry run has no signature, and the caller adds the rest. */
const ALTERNATIVE = /^(?:data\.|(?:timestamp|method|path|query|params|body)$)/;
/** What an optional header or member must have. */
const OPTIONAL = /^(?:data\.|account\.|(?:timestamp|method|path|query|params|body)$)/;

/** A body that is the JSON of one value. */
const WHOLE_JSON = /^\{[^{}]*:json\}$/;

/** Stands alone for a query or body that the venue does not sign. */
const UNSIGNED = '{unsigned}';
/** Stands alone for a query or body that the venue ignores. */
const IGNORED = '{ignored}';

const METHODS_WITHOUT_BODY = ['GET', 'HEAD', 'DELETE'];

class RequestWriter {
  readonly #from: NonNullable<Send['from']>;
  readonly #source: SignedSource;
  /** Names of what the service does not hold. */
  readonly #missing = new Set<string>();
  #isSigned = false;

  constructor(from: NonNullable<Send['from']>, source: SignedSource) {
    this.#from = from;
    this.#source = source;
  }

  write(send: Send): WrittenRequest {
    const request = 'message' in send ? { message: JSON.stringify(this.#toJson(send.message)) } : this.#writeHttp(send);
    if (!this.#isSigned) invalid('data.method', 'must be a method for which the venue takes a signature');
    const missing = [...this.#missing];
    // What the caller fills in must be distinguishable from what is signed.
    const text = JSON.stringify(this.#source.data);
    const name = missing.find((one) => one !== 'signature' && text.includes(`{${one}}`));
    if (name === undefined) return { ...request, missing };
    return invalid('data', `must not contain {${name}}, which stands for the caller's own value in the request`);
  }

  #writeHttp({ origins, method: fixedMethod, path = '{path}', headers = {}, query = '', body = '' }: HttpSend) {
    const method = fixedMethod ?? this.#toText('{method}');
    const parameters = this.#toForm(this.#choose(query, method)).replace(/^&/, '');
    const target = this.#toText(path);
    if (!toOutcome(() => renderPath({ path: target })).ok || target.endsWith('?')) {
      invalid('data', 'must give a path that starts with /, percent-encoded as sent');
    }
    const url = this.#writeOrigin(origins[0] ?? '') + target;
    const content = this.#choose(body, method);
    const text = this.#toBody(content, method);
    const isJson = typeof content !== 'string' || content === UNSIGNED || /^\s*[[{]/.test(text);
    const written: Record<string, string> = text === '' ? {} : { 'Content-Type': isJson ? JSON_TYPE : FORM_TYPE };
    for (const [name, [template = '']] of Object.entries(headers).map(
      ([key, given]) => [key, [given].flat()] as const,
    )) {
      if (name.endsWith('?') && !this.#isPresent(template, OPTIONAL)) continue;
      const value = this.#toText(template);
      if (!HEADER_VALUE.test(value))
        invalid('data', `must give the header ${name} printable ASCII, without blanks at its ends`);
      if (name.toLowerCase() === 'content-type') delete written['Content-Type'];
      written[name.replace('?', '')] = value;
    }
    return {
      method,
      url: parameters === '' ? url : `${url}${target.includes('?') ? '&' : '?'}${parameters}`,
      headers: written,
      ...(text === '' ? {} : { body: text }),
    };
  }

  #writeOrigin(template: string): string {
    const origin = this.#toText(template);
    // A member of the data names a host, and nothing behind it.
    const [, host] = /^\w+:\/\/\{(data\.\w+)\}/.exec(template) ?? [];
    if (host !== undefined && !ORIGIN.test(origin)) invalid(host, 'must be the name of a host');
    return origin;
  }

  /** A JSON template with its placeholders replaced; one alone gives a value of its own type. */
  #toJson(template: JsonValue): JsonValue {
    if (typeof template === 'string') return this.#toJsonText(template);
    if (Array.isArray(template)) return template.map((element: JsonValue) => this.#toJson(element));
    if (!isJsonObject(template)) return template;
    const members: Record<string, JsonValue> = {};
    for (const [name, member] of Object.entries(template)) {
      if (name.endsWith('?') && !this.#isPresent(member, OPTIONAL)) continue;
      const value = this.#toJson(member);
      if (name !== '*') members[name.replace('?', '')] = value;
      else if (!isJsonObject(value)) invalid('data', 'must have an object where the venue takes its members');
      else Object.assign(members, withoutMembers(value, template));
    }
    return members;
  }

  #toJsonText(template: string): JsonValue {
    const tokens = parseSendTemplate(template);
    const [token] = tokens;
    if (tokens.length !== 1 || token === undefined || typeof token === 'string') return this.#toText(template);
    return this.#toValue(token.name, token.encoding) ?? this.#miss(token.name);
  }

  #toText(template: string, encode = (text: string) => text): string {
    return parseSendTemplate(template)
      .map((token) => {
        if (typeof token === 'string') return token;
        const value = this.#toValue(token.name, token.encoding);
        if (value === undefined) return WHOLE_PARTS.has(token.name) ? '' : this.#miss(token.name);
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return WHOLE_PARTS.has(token.name) ? text : encode(text);
      })
      .join('');
  }

  /** A query or form: every value but whole parameters is percent-encoded. */
  #toForm(template: string): string {
    if (template === UNSIGNED || template === IGNORED) return '';
    const added = Array.from(template.matchAll(/([^&={}]+)=/g), ([, name]) => name);
    const { query = '' } = this.#source.payload.parts;
    const twice = listNames(query).find((name) => added.includes(name));
    if (twice !== undefined) invalid('data', `must not have the parameter ${twice}, which the request adds`);
    return this.#toText(template, percentEncode);
  }

  #toBody(template: string | JsonObject, method: string): string {
    if (typeof template !== 'string') return JSON.stringify(this.#toJson(template));
    if (template === UNSIGNED && !METHODS_WITHOUT_BODY.includes(method)) return this.#miss('body');
    return WHOLE_JSON.test(template) ? this.#toText(template) : this.#toForm(template);
  }

  /** The first alternative for this method whose parts the request has. */
  #choose<Template extends string | JsonObject>(given: Alternatives<Template>, method: string): Template {
    if (!Array.isArray(given)) return given as Template;
    const fitting = listAlternatives(given, method).find((template) => this.#isPresent(template, ALTERNATIVE));
    return fitting ?? invalid('data', `must have one of the forms in which the venue takes ${method} requests`);
  }

  /** Whether the request has all of the named parts that a template writes. */
  #isPresent(template: JsonValue, named: RegExp): boolean {
    if (typeof template === 'string') {
      return parseSendTemplate(template).every(
        (token) => typeof token === 'string' || !named.test(token.name) || this.#find(token.name) !== undefined,
      );
    }
    if (!isJsonObject(template)) return true;
    return Object.entries(template).every(([name, member]) => name.endsWith('?') || this.#isPresent(member, named));
  }

  #miss(name: string): string {
    if (name === 'method')
      return invalid('data.method', 'is missing; the request to send needs it: it must be GET or POST');
    if (name === 'path')
      return invalid('data.path', 'is missing; the request to send needs it, percent-encoded as sent');
    const own = name.slice(name.lastIndexOf('.') + 1);
    this.#missing.add(own);
    return `{${own}}`;
  }

  #toValue(name: string, encoding: SendEncoding | undefined): JsonValue | undefined {
    const value = name === 'params' && encoding === 'json' ? ownMember(this.#source.data, 'params') : this.#find(name);
    if (value === undefined || encoding === undefined) return value;
    const { isValid, encode } = ENCODINGS[encoding];
    if (isValid(String(value))) return encode(value);
    return invalid(`data.${name.replace(/^data\./, '')}`, `must be a value that the request can have as ${encoding}`);
  }

  /** A placeholder's value; undefined: the request has none, or only the caller has it. */
  #find(name: string): JsonValue | undefined {
    const { payload, signature, data, values } = this.#source;
    const { parts } = payload;
    const [kind = '', ...steps] = name.split('.');
    if (kind === 'account') return ownMember(values, steps[0] ?? '') ?? this.#findOwnValue(steps[0] ?? '');
    if (kind === 'data') return this.#toSent(name, findMember(data, steps));
    switch (name) {
      case 'signature':
        this.#isSigned = true;
        return signature ?? undefined;
      case 'tx':
        this.#isSigned = true;
        return signature === null ? undefined : toTransaction(payload, signature);
      case 'payload':
        return payload.text;
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

  /** A fixed value that the rule has for all accounts. */
  #findOwnValue(name: string): JsonValue | undefined {
    const { rule } = this.#source;
    return ownMember(getRuleModule(rule).ownValues?.(rule) ?? {}, name);
  }

  /** A method that is not signed, as the caller gives it. */
  #findMethod(): string | undefined {
    const method = ownMember(this.#source.data, 'method');
    return typeof method === 'string' && /^[A-Za-z]+$/.test(method) ? method : this.#findTarget()?.[0];
  }

  /** A path that is not signed, as the caller gives it. */
  #findPath(): string | undefined {
    const { data } = this.#source;
    const given = ownMember(data, 'path') ?? ownMember(data, 'endpoint');
    if (given === undefined) return this.#findTarget()?.[1];
    const path = renderPath({ path: given });
    return path.includes('?')
      ? invalid('data.path', 'must not have a query (?…): this platform does not sign it')
      : path;
  }

  /** `METHOD /path` from a table of such texts. */
  #findTarget(): readonly string[] | undefined {
    const targets = Object.keys(this.#from).map((name) => this.#find(name));
    return targets.flatMap((text) => (typeof text === 'string' && TARGET.test(text) ? [text.split(' ')] : []))[0];
  }

  /** How a member of the data is sent: by its table, unless several texts fit, else as it is. */
  #toSent(name: string, value: JsonValue | undefined): JsonValue | undefined {
    const table = Object.hasOwn(this.#from, name) ? this.#from[name] : undefined;
    if (table === undefined || value === undefined) return value;
    const sent = Object.keys(table).filter((text) => table[text] === String(value));
    return sent.length === 1 ? sent[0] : undefined;
  }

  /** A signed part as it is sent. */
  #toSentPart(name: 'query' | 'body'): string | undefined {
    const { rule, payload } = this.#source;
    const part = payload.parts[name];
    const isEncoded = part === undefined || !getRuleModule(rule).encodedWhenSent?.(rule).includes(name);
    return isEncoded ? part : encodePairs(part);
  }
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TARGET = /^[A-Z]+ \/\S*$/;
/** Printable ASCII; HTTP clients drop blanks at the ends (RFC 9110 §5.5). */
const HEADER_VALUE = /^(?! )[\x20-\x7e]*(?<! )$/;
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~/-]*)?$/;

function findMember(data: JsonObject, steps: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const step of steps) value = isJsonObject(value) ? ownMember(value, step) : undefined;
  return value ?? undefined;
}

/** Members that the template does not write itself. */
function withoutMembers(value: JsonObject, template: JsonObject): JsonObject {
  const isOwn = (name: string) => Object.hasOwn(template, name) || Object.hasOwn(template, `${name}?`);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isOwn(name)));
}

/** `a=b c&d=e` as it is sent. */
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

interface Encoder {
  readonly isValid: (text: string) => boolean;
  readonly encode: (value: JsonValue) => JsonValue;
}

const ENCODINGS: { readonly [Encoding in SendEncoding]: Encoder } = {
  json: { isValid: () => true, encode: (value) => JSON.stringify(value) },
  // As written: another spelling could have another value for the venue.
  number: { isValid: (text) => JSON.stringify(Number(text)) === text, encode: Number },
  hex: {
    isValid: (text) => /^(?:[0-9]+|0x[0-9A-Fa-f]+)$/.test(text),
    encode: (value) => `0x${BigInt(String(value)).toString(16)}`,
  },
  rsv: {
    isValid: (text) => /^0x[0-9A-Fa-f]{130}$/.test(text),
    encode: (value) => {
      const [r = '', s = ''] = splitHex(value);
      return { r: toShortHex(r), s: toShortHex(s), v: Number.parseInt(String(value).slice(-2), 16) };
    },
  },
  felts: {
    isValid: (text) => /^0x[0-9A-Fa-f]{128}$/.test(text),
    encode: (value) => JSON.stringify(splitHex(value).map((hex) => BigInt(hex).toString())),
  },
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
