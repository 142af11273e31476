import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import { readBithumb, readCoinbase, readUpbit } from './read-token-request.ts';
import { readCosmos, readParadex } from './read-transaction.ts';
import type { SentRequest } from './sdk-record.ts';
import {
  decodeText,
  hasRepeatedName,
  header,
  isMessage,
  type Pairs,
  parsePairs,
  type SigningView,
  splitUrl,
  toObject,
} from './sent-request-parts.ts';

type Reader = (request: SentRequest) => SigningView;

/** Reads the signing request for what a client of this preset sent. */
export function readSentRequest(preset: string, rule: string | undefined, request: SentRequest): SigningView {
  const reader = READERS[rule === undefined ? preset : `${preset} ${rule}`];
  if (reader === undefined) throw new Error(`No reader for ${preset} ${rule ?? ''}: add one.`);
  return reader(request);
}

const READERS: { readonly [preset: string]: Reader } = {
  apex: (request) => readHeaders(request, 'apex-signature', 'apex-timestamp', { isDecoded: true }),
  aster: readSignedParameters,
  'aster-v3': readSignedParameters,
  backpack: readBackpack,
  binance: readSignedParameters,
  'binance-ed25519': readSignedParameters,
  'binance-rsa': readSignedParameters,
  'binance-rsa websocket': readMessage,
  'binance-fix': readFixLogon,
  'binance-ws': readMessage,
  'binance-ws-ed25519': readMessage,
  bingx: readSignedParameters,
  'bitfinex login': readBitfinexLogin,
  'bitget login': readLogin,
  'bitget-rsa login': readLogin,
  'bybit login': readBybitLogin,
  'bybit-rsa login': readBybitLogin,
  'coinex login': readCoinexLogin,
  'okx login': readLogin,
  bitget: (request) => readHeaders(request, 'access-sign', 'access-timestamp', { isDecoded: true }),
  'bitget-rsa': (request) => readHeaders(request, 'access-sign', 'access-timestamp', { isDecoded: true }),
  bitfinex: readBitfinex,
  bithumb: readBithumb,
  bitmex: (request) => readHeaders(request, 'api-signature', 'api-expires', { field: 'expires' }),
  bitvavo: readBitvavo,
  bybit: (request) => readHeaders(request, 'x-bapi-sign', 'x-bapi-timestamp'),
  'bybit-rsa': (request) => readHeaders(request, 'x-bapi-sign', 'x-bapi-timestamp'),
  coinbase: readCoinbase,
  'coinbase websocket': readCoinbase,
  'coinbase-ed25519': readCoinbase,
  'coinbase-ed25519 websocket': readCoinbase,
  coinex: (request) => readHeaders(request, 'x-coinex-sign', 'x-coinex-timestamp'),
  'coinbase-exchange': (request) => readHeaders(request, 'cb-access-sign', 'cb-access-timestamp'),
  'cosmos-hub': readCosmos,
  'crypto-com': readCryptoCom,
  deribit: readDeribitLogin,
  'deribit rest': readDeribit,
  dydx: readCosmos,
  'dydx-testnet': readCosmos,
  'gate websocket': readGateSubscription,
  'gate websocket-api': readGateMessage,
  gemini: readGemini,
  gate: (request) => readHeaders(request, 'sign', 'timestamp', { isDecoded: true }),
  htx: readHtx,
  hyperliquid: readHyperliquid,
  'hyperliquid-testnet': readHyperliquid,
  'hyperliquid multi-sig': readHyperliquid,
  'hyperliquid-testnet multi-sig': readHyperliquid,
  'hyperliquid-user': readHyperliquidUser,
  kraken: readKraken,
  'kraken-futures': readKrakenFutures,
  kucoin: (request) => readHeaders(request, 'kc-api-sign', 'kc-api-timestamp', { isDecoded: true }),
  mexc: readSignedParameters,
  'mexc futures': (request) =>
    readHeaders(request, 'signature', 'request-time', { more: { accessKey: header(request, 'apikey') } }),
  orderly: (request) => readHeaders(request, 'orderly-signature', 'orderly-timestamp'),
  okx: (request) => readHeaders(request, 'ok-access-sign', 'ok-access-timestamp'),
  pacifica: readPacifica,
  paradex: readParadex,
  phemex: (request) =>
    readHeaders(request, 'x-phemex-request-signature', 'x-phemex-request-expiry', { field: 'expiry' }),
  polymarket: (request) => readHeaders(request, 'poly_signature', 'poly_timestamp', { hasNoQuery: true }),
  upbit: readUpbit,
  woo: (request) => readHeaders(request, 'x-api-signature', 'x-api-timestamp'),
  'woo-v1': readWooV1,
};

interface HeaderOptions {
  /** Field of `data` for the time; default: timestamp. */
  readonly field?: string;
  /** The venue signs the query before percent-encoding. */
  readonly isDecoded?: boolean;
  /** The venue does not sign the query. */
  readonly hasNoQuery?: boolean;
  readonly more?: JsonObject;
}

/** Signature and time in headers; method, path, query and body of the request. */
function readHeaders(request: SentRequest, sign: string, time: string, options: HeaderOptions = {}): SigningView {
  const { path, query } = splitUrl(request.url);
  const timestamp = header(request, time);
  const data = {
    ...options.more,
    [options.field ?? 'timestamp']: timestamp,
    method: request.method,
    path,
    ...(request.body === '' ? {} : { body: request.body }),
  };
  const signature = header(request, sign);
  if (query === '' || options.hasNoQuery) return { data, signature };
  const asText = { ...data, query: options.isDecoded ? decodeText(query) : query };
  const pairs = parsePairs(query);
  return { data: hasRepeatedName(pairs) ? asText : { ...data, query: toObject(pairs) }, asText, signature };
}

/** The signature is the last parameter of query or form body. */
function readSignedParameters(request: SentRequest): SigningView {
  const { query } = splitUrl(request.url);
  const pairs = parsePairs([query, request.body].filter((text) => text !== '').join('&'));
  const isSignature = ([name]: Pairs[number]) => name === 'signature';
  return {
    data: { params: toObject(pairs.filter((pair) => !isSignature(pair))) },
    signature: pairs.find(isSignature)?.[1] ?? '',
  };
}

/** The message of a WebSocket as `{args: [{timestamp, sign}]}`. */
function readLogin(request: SentRequest): SigningView {
  const { timestamp, sign } = JSON.parse(request.body).args[0];
  return { data: { timestamp }, signature: sign };
}

function readBybitLogin(request: SentRequest): SigningView {
  const [, expires, signature] = JSON.parse(request.body).args;
  return { data: { expires }, signature };
}

function readBitfinexLogin(request: SentRequest): SigningView {
  const { authNonce: nonce, authSig: signature } = JSON.parse(request.body);
  return { data: { nonce }, signature };
}

function readGateSubscription(request: SentRequest): SigningView {
  const { channel, event, time: timestamp, auth } = JSON.parse(request.body);
  return { data: { channel, event, timestamp }, signature: auth.SIGN };
}

function readGateMessage(request: SentRequest): SigningView {
  const { channel, payload } = JSON.parse(request.body);
  const { req_param, timestamp, signature } = payload;
  return { data: { channel, body: JSON.stringify(req_param), timestamp }, signature };
}

function readCoinexLogin(request: SentRequest): SigningView {
  const { timestamp, signed_str: signature } = JSON.parse(request.body).params;
  return { data: { timestamp }, signature };
}

/** A message of a WebSocket: `{params}` with the signature. */
function readMessage(request: SentRequest): SigningView {
  const { signature, ...params } = JSON.parse(request.body).params;
  return { data: { params }, signature };
}

/** A FIX logon: the signed fields by their names, and `rawData`. */
function readFixLogon(request: SentRequest): SigningView {
  const { rawData: signature, ...data } = JSON.parse(request.body);
  return { data, signature };
}

/** Bitvavo's client in Python signs compact JSON, sends it with spaces, and `{}` for no body. */
function readBitvavo(request: SentRequest): SigningView {
  if (isMessage(request)) {
    const { timestamp, signature } = JSON.parse(request.body);
    return { data: { timestamp, method: 'GET', path: '/v2/websocket' }, signature };
  }
  const body = request.body === '' ? '' : JSON.stringify(JSON.parse(request.body));
  const signed = { ...request, body: body === '{}' ? '' : body };
  return readHeaders(signed, 'bitvavo-access-signature', 'bitvavo-access-timestamp');
}

function readWooV1(request: SentRequest): SigningView {
  if (isMessage(request)) {
    const { timestamp, sign } = JSON.parse(request.body).params;
    return { data: { params: {}, timestamp }, signature: sign };
  }
  const { query } = splitUrl(request.url);
  return {
    data: { params: toObject(parsePairs(query + request.body)), timestamp: header(request, 'x-api-timestamp') },
    signature: header(request, 'x-api-signature'),
  };
}

function readHtx(request: SentRequest): SigningView {
  const { host, path, query } = splitUrl(request.url);
  if (isMessage(request)) {
    const { authType, signature, ...params } = JSON.parse(request.body).params;
    return { data: { method: 'GET', host, path, params }, signature };
  }
  const pairs = parsePairs(query);
  return {
    data: {
      method: request.method,
      host,
      path,
      params: toObject(pairs.filter(([name]) => name !== 'Signature')),
    },
    signature: pairs.find(([name]) => name === 'Signature')?.[1] ?? '',
  };
}

function readDeribitLogin(request: SentRequest): SigningView {
  const { timestamp, nonce, data, signature } = JSON.parse(request.body).params;
  return { data: { timestamp, nonce, data }, signature };
}

/** The header Authorization: `deri-hmac-sha256 id=…,ts=…,sig=…,nonce=…`. */
function readDeribit(request: SentRequest): SigningView {
  const parts = new Map(
    header(request, 'authorization')
      .replace('deri-hmac-sha256 ', '')
      .split(',')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
  const { path, query } = splitUrl(request.url);
  const data = { timestamp: parts.get('ts') ?? '', nonce: parts.get('nonce') ?? '', method: request.method, path };
  return { data: { ...data, query: toObject(parsePairs(query)) }, signature: parts.get('sig') ?? '' };
}

function readCryptoCom(request: SentRequest): SigningView {
  const { id, method, params, nonce, sig: signature } = JSON.parse(request.body);
  return { data: { id, method, params, nonce }, signature };
}

/** ccxt sends post data in the URL, also with POST; the venue signs its path without a prefix. */
function readKrakenFutures(request: SentRequest): SigningView {
  const { path, query } = splitUrl(request.url);
  const signed = path.replace('/derivatives', '');
  return { data: { path: signed, query: toObject(parsePairs(query)) }, signature: header(request, 'authent') };
}

/** The path is signed with the prefix /api, which is part of the rule. */
function readBitfinex(request: SentRequest): SigningView {
  const { path } = splitUrl(request.url);
  const data = { path, nonce: header(request, 'bfx-nonce'), body: JSON.parse(request.body) };
  return { data, signature: header(request, 'bfx-signature') };
}

/** The payload is base64 of the JSON in a header. */
function readGemini(request: SentRequest): SigningView {
  const text = Buffer.from(header(request, 'x-gemini-payload'), 'base64').toString();
  const signature = header(request, 'x-gemini-signature');
  return { data: { payload: JSON.parse(text) }, asText: { payload: text }, signature };
}

function readKraken(request: SentRequest): SigningView {
  const { path } = splitUrl(request.url);
  const signature = header(request, 'api-sign');
  if (request.body.startsWith('{')) {
    const nonce = JSON.parse(request.body).nonce;
    return { data: { path, body: request.body, nonce }, signature };
  }
  const body = toObject(parsePairs(request.body));
  const nonce = body['nonce'] ?? '';
  return { data: { path, body }, asText: { path, body: request.body, nonce }, signature };
}

/** Instructions of the endpoints used here: Backpack signs a name, no method and path. */
const INSTRUCTIONS: { readonly [endpoint: string]: string } = {
  'POST /api/v1/order': 'orderExecute',
  'POST /api/v1/orders': 'orderExecute',
  'DELETE /api/v1/order': 'orderCancel',
  'GET /api/v1/orders': 'orderQueryAll',
  'POST /wapi/v1/capital/withdrawals': 'withdraw',
};

function readBackpack(request: SentRequest): SigningView {
  const { path, query } = splitUrl(request.url);
  const sent: JsonValue = request.body === '' ? toObject(parsePairs(query)) : JSON.parse(request.body);
  return {
    data: {
      instruction: INSTRUCTIONS[`${request.method} ${path}`] ?? '',
      ...(Array.isArray(sent) ? { orders: sent } : { params: sent }),
      timestamp: Number(header(request, 'x-timestamp')),
      window: Number(header(request, 'x-window')),
    },
    signature: header(request, 'x-signature'),
  };
}

function readHyperliquid(request: SentRequest): SigningView {
  const { signature, ...data } = JSON.parse(request.body);
  return { data, signature: joinSignature(signature) };
}

/** Members of the user-signed actions used here. */
const USER_ACTIONS: { readonly [type: string]: readonly (readonly [name: string, type: string])[] } = {
  UsdSend: [
    ['hyperliquidChain', 'string'],
    ['destination', 'string'],
    ['amount', 'string'],
    ['time', 'uint64'],
  ],
  Withdraw: [
    ['hyperliquidChain', 'string'],
    ['destination', 'string'],
    ['amount', 'string'],
    ['time', 'uint64'],
  ],
};

/** After the first member of what an authorized user signs for a multi-sig user. */
const MULTI_SIG_MEMBERS = [
  ['payloadMultiSigUser', 'address'],
  ['outerSigner', 'address'],
] as const;

function readHyperliquidUser(request: SentRequest): SigningView {
  const { action, signature } = JSON.parse(request.body);
  const { type, signatureChainId, ...message } = action;
  const [chain, ...others] = USER_ACTIONS[type] ?? [];
  const members = [chain, ...('outerSigner' in message ? MULTI_SIG_MEMBERS : []), ...others];
  const primaryType = `HyperliquidTransaction:${type}`;
  const domain = [
    ['name', 'string'],
    ['version', 'string'],
    ['chainId', 'uint256'],
    ['verifyingContract', 'address'],
  ] as const;
  return {
    data: {
      domain: {
        name: 'HyperliquidSignTransaction',
        version: '1',
        chainId: Number(signatureChainId),
        verifyingContract: `0x${'0'.repeat(40)}`,
      },
      types: {
        EIP712Domain: toMembers(domain),
        [primaryType]: toMembers(members.filter((member) => member !== undefined)),
      },
      primaryType,
      message,
    },
    signature: joinSignature(signature),
  };
}

function readPacifica(request: SentRequest): SigningView {
  const { signature, ...data } = JSON.parse(request.body);
  return { data, signature };
}

function toMembers(members: readonly (readonly [name: string, type: string])[]): JsonValue {
  return members.map(([name, type]) => ({ name, type }));
}

/** `{r, s, v}` as the 65 bytes r ‖ s ‖ v. */
function joinSignature({ r, s, v }: { r: string; s: string; v: number }): string {
  const digits = [r, s].map((part) => part.slice(2).padStart(64, '0')).join('');
  return `0x${digits}${v.toString(16)}`;
}
