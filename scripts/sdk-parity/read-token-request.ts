import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { SentRequest } from './sdk-record.ts';
import { header, isMessage, type Pairs, parsePairs, type SigningView, splitUrl } from './sent-request-parts.ts';

/** Bithumb: nonce and time are claims of the token. */
export function readBithumb(request: SentRequest): SigningView {
  const signature = readBearer(request);
  const { nonce, timestamp } = decodePart(signature, 1);
  return { data: { nonce, timestamp, ...readParams(request) }, signature };
}

/** Upbit: the nonce is a claim of the token. */
export function readUpbit(request: SentRequest): SigningView {
  const signature = readBearer(request);
  const { nonce } = decodePart(signature, 1);
  return { data: { nonce, ...readParams(request) }, signature };
}

/** Coinbase: nonce in the token's header, time in its claim `nbf`; messages: field `jwt`. */
export function readCoinbase(request: SentRequest): SigningView {
  const signature = isMessage(request) ? JSON.parse(request.body).jwt : readBearer(request);
  const { nonce } = decodePart(signature, 0);
  const { nbf: timestamp } = decodePart(signature, 1);
  const signed = isMessage(request) ? {} : { method: request.method, path: splitUrl(request.url).path };
  return { data: { nonce, timestamp, ...signed }, signature };
}

/** The token of `Authorization: Bearer TOKEN`. */
function readBearer(request: SentRequest): string {
  return header(request, 'authorization').replace('Bearer ', '');
}

/** Members of headers and claims that requests have too. */
interface TokenPart {
  readonly nonce: JsonValue;
  readonly timestamp: JsonValue;
  readonly nbf: JsonValue;
}

function decodePart(token: string, index: 0 | 1): TokenPart {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
}

function readParams(request: SentRequest): JsonObject {
  const params = request.body === '' ? toLists(parsePairs(splitUrl(request.url).query)) : JSON.parse(request.body);
  return Object.keys(params).length === 0 ? {} : { params };
}

/** Names that end with [] have lists, as in the query of a token. */
function toLists(pairs: Pairs): JsonObject {
  const lists: { [name: string]: JsonValue } = {};
  for (const [name, value] of pairs) {
    const values = pairs.filter(([other]) => other === name).map(([, one]) => one);
    lists[name] = name.endsWith('[]') ? values : value;
  }
  return lists;
}
