import type { JsonObject } from '../../src/domain/model/json.ts';
import type { SentRequest } from './sdk-record.ts';

/** The signing request for what a client sent, and the signature that it sent. */
export interface SigningView {
  readonly data: JsonObject;
  readonly signature: string;
  /** `data` with the parameters as text, where an object renders differently. */
  readonly asText?: JsonObject;
}

/** Names and decoded values; `+` is a space, as in forms. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A query with a name in it twice, which an object lacks. */
export class RepeatedNameError extends Error {
  override readonly name = 'RepeatedNameError';
}

/** Whether it is a message of a WebSocket; then `body` is the message. */
export function isMessage(request: SentRequest): boolean {
  return request.method === 'MESSAGE';
}

export function header(request: SentRequest, name: string): string {
  return request.headers[name] ?? '';
}

interface SplitUrl {
  readonly host: string;
  readonly path: string;
  /** Without `?`, as sent. */
  readonly query: string;
  readonly pathAndQuery: string;
}

/** Splits as sent: `URL` would encode it again. */
export function splitUrl(url: string): SplitUrl {
  const [, host = '', pathAndQuery = ''] = /^https?:\/\/([^/]+)([^#]*)$/.exec(url) ?? [];
  const [path = '', ...queries] = pathAndQuery.split('?');
  return { host, path, query: queries.join('?'), pathAndQuery };
}

export function parsePairs(query: string): Pairs {
  return query === '' ? [] : query.split('&').map(parsePair);
}

function parsePair(text: string): Pairs[number] {
  const at = text.indexOf('=');
  return at < 0 ? [decodeText(text), ''] : [decodeText(text.slice(0, at)), decodeText(text.slice(at + 1))];
}

/** Text that is not percent-encoded is as it is: some clients leave that to the HTTP client. */
export function decodeText(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? text : decodeURIComponent(text.replaceAll('+', ' '));
}

export function toObject(pairs: Pairs): JsonObject {
  if (hasRepeatedName(pairs)) throw new RepeatedNameError('a name occurs twice');
  return Object.fromEntries(pairs);
}

export function hasRepeatedName(pairs: Pairs): boolean {
  return new Set(pairs.map(([name]) => name)).size !== pairs.length;
}
