import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../src/domain/model/json.ts';
import type { PayloadRule } from '../../src/domain/model/payload.ts';
import {
  type HttpSend,
  listAlternatives,
  parseSendTemplate,
  type Send,
  type SendToken,
} from '../../src/domain/model/send.ts';
import { decodeText, parseJson, splitUrl } from './sent-text.ts';

/** A request as a client sent it, names of headers lowercase; a WebSocket's message is its body. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** Values by the names of placeholders; `unsigned.body`: what is not signed. */
export type Captures = ReadonlyMap<string, JsonValue>;
/** Undefined: what was sent does not fit. */
type Match = Captures | undefined;

/** Matches requests with the template that writes them. @throws Error naming what does not fit */
export class TemplateReader {
  readonly #from: NonNullable<Send['from']>;

  constructor(from: NonNullable<Send['from']>) {
    this.#from = from;
  }

  /** Of a WebSocket. */
  readMessage(template: JsonObject, text: string): Captures {
    return this.#matchJson(template, JSON.parse(text), new Map()) ?? unfit('the message');
  }

  /** Method and path, or the member for which a table has them alone. */
  readTarget({ method, path = '{path}' }: HttpSend, origin: string, request: SentRequest): Match {
    const found = this.#matchText(origin + path, splitUrl(request.url).base, new Map());
    if (found === undefined) return undefined;
    const whole: Captures = method === undefined ? new Map([...found, ['method', request.method]]) : found;
    const isTarget = (text: string) => text.includes(' /');
    const [name, table] = Object.entries(this.#from).find(([, sent]) => Object.keys(sent).some(isTarget)) ?? [];
    if (name === undefined || table === undefined) return whole;
    const value = table[`${request.method} ${found.get('path')}`] ?? unfit(`the table of ${name}`);
    const isOnly = Object.values(table).filter((other) => other === value).length === 1;
    return new Map([...(isOnly ? [] : whole), [name, value]]);
  }

  /** With each of the alternatives that fit. */
  readHttp(
    { headers = {}, query = '', body = '' }: HttpSend,
    request: SentRequest,
    target: Captures,
  ): readonly Captures[] {
    const captures = Object.entries(headers).reduce((read, [name, templates]) => {
      const text = request.headers[name.replace('?', '').toLowerCase()] ?? '';
      const matches = [templates].flat().map((template) => this.#matchText(template, text, read));
      return matches.find((match) => match !== undefined) ?? read;
    }, target);
    const readings = listAlternatives(query, request.method)
      .map((template) => this.#matchParameters(template, splitUrl(request.url).query, captures, 'query'))
      .flatMap((read) =>
        listAlternatives(body, request.method).map((template) => read && this.#matchBody(template, request.body, read)),
      )
      .filter((read) => read !== undefined);
    return readings.length === 0 ? unfit('query or body') : readings;
  }

  /** Adds the values that a JSON Web Token has as claims or in its header. */
  readToken(rule: PayloadRule, captures: Captures): Captures {
    if (rule.rule !== 'jwt') return captures;
    const parts = String(captures.get('signature')).split('.').slice(0, 2);
    const token: JsonObject = Object.assign(
      {},
      ...parts.map((part) => parseJson(Buffer.from(part, 'base64url').toString())),
    );
    const templates = Object.entries({ ...(rule['header'] as JsonObject), ...(rule['claims'] as JsonObject) });
    return templates.reduce((read, [name, claim]) => {
      const template = isJsonObject(claim) && claim['expiresIn'] === undefined ? '{timestamp}' : claim;
      return (typeof template === 'string' && this.#matchText(template, String(token[name] ?? ''), read)) || read;
    }, captures);
  }

  #matchJson(template: JsonValue, value: JsonValue | undefined, captures: Captures): Match {
    if (typeof template === 'string') {
      const [token, ...more] = parseSendTemplate(template);
      if (value === undefined) return undefined;
      const isWhole = more.length === 0 && typeof token === 'object';
      return isWhole ? this.#capture(token, value, captures) : this.#matchText(template, String(value), captures);
    }
    if (typeof template !== 'object' || template === null) return template === value ? captures : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    const named = Object.keys(template).map((name) => name.replace('?', ''));
    const others = Object.entries(value).filter(([name]) => !named.includes(name));
    return Object.entries(template).reduce<Match>((read, [name, member]) => {
      const sent = name === '*' ? Object.fromEntries(others) : ownMember(value as JsonObject, name.replace('?', ''));
      return read && (sent === undefined && name.endsWith('?') ? read : this.#matchJson(member, sent, read));
    }, captures);
  }

  #matchBody(template: string | JsonObject, text: string, captures: Captures): Match {
    if (typeof template === 'string') return this.#matchParameters(template, text, captures, 'body');
    return text.startsWith('{') ? this.#matchJson(template, JSON.parse(text), captures) : undefined;
  }

  /** Parameters in any order; a placeholder alone takes those that the template does not name. */
  #matchParameters(template: string, text: string, captures: Captures, place: 'query' | 'body'): Match {
    if (template === '{unsigned}' || template === '{ignored}') {
      return text === '' ? captures : new Map([...captures, [`unsigned.${place}`, text]]);
    }
    const pairs = new Set(text === '' ? [] : text.split('&'));
    const items = template === '' ? [] : template.split('&');
    const read = items.reduce<Match>((match, item) => {
      const [name = '', value] = item.split('=');
      const found = [...pairs].find((pair) => value !== undefined && decodeText(pair).startsWith(`${name}=`));
      if (value === undefined || match === undefined) return match;
      if (found === undefined || !pairs.delete(found)) return undefined;
      return this.#matchText(value, decodeText(found).slice(name.length + 1), match);
    }, captures);
    if (read === undefined || pairs.size === 0) return read;
    const whole = items.find((item) => !item.includes('='));
    return whole === undefined ? undefined : this.#matchText(whole, [...pairs].join('&'), read);
  }

  #matchText(template: string, text: string, captures: Captures): Match {
    const tokens = parseSendTemplate(template);
    const pattern = tokens.map((token) => {
      if (typeof token === 'string') return token.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return token.name === 'path' ? '(/.*)' : '(.+?)';
    });
    const texts = new RegExp(`^${pattern.join('')}$`, 's').exec(text)?.slice(1);
    if (texts === undefined) return undefined;
    return tokens
      .filter((token) => typeof token === 'object')
      .reduce<Match>((read, token, index) => read && this.#capture(token, texts[index] ?? '', read), captures);
  }

  /** Fits unless the placeholder already stands for something else. */
  #capture({ name, encoding }: Exclude<SendToken, string>, sent: JsonValue, captures: Captures): Match {
    const decoded = DECODE[encoding ?? 'number'](sent);
    if (decoded === undefined) return undefined;
    const value = this.#from[name]?.[String(decoded)] ?? decoded;
    const known = [...captures].find(([other]) => other === name || name.startsWith(`${other}.`));
    if (known === undefined) return new Map([...captures, [name, value]]);
    const steps = name.split('.').slice(known[0].split('.').length);
    const inside = steps.reduce(
      (outer, step) => (isJsonObject(outer) ? (ownMember(outer, step) ?? null) : null),
      known[1],
    );
    return isDeepStrictEqual(inside, value) || String(inside) === String(value) ? captures : undefined;
  }
}

/** @throws Error for a part that does not fit the template */
export function unfit(what: string): never {
  throw new Error(`does not fit the template: ${what}`);
}

const DECODE: {
  readonly [Name in NonNullable<Exclude<SendToken, string>['encoding']>]: (sent: JsonValue) => JsonValue | undefined;
} = {
  json: (sent) => parseJson(String(sent)),
  number: (sent) => sent,
  hex: (sent) => Number(sent),
  rsv: (sent) => {
    const { r, s, v } = sent as { readonly r: string; readonly s: string; readonly v: number };
    return `0x${[r, s].map((part) => part.slice(2).padStart(64, '0')).join('')}${v.toString(16)}`;
  },
  felts: (sent) => {
    const numbers: readonly string[] = JSON.parse(String(sent));
    return `0x${numbers.map((number) => BigInt(number).toString(16).padStart(64, '0')).join('')}`;
  },
};
