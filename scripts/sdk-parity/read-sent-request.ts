import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';

/** A request as a client sent it, names of headers lowercase; a WebSocket's message is its body. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** The signing request for what a client sent, and the signature that it sent. */
export interface SigningView {
  readonly data: JsonObject;
  readonly signature: string;
  /** `data` with the parameters as text, where an object renders differently. */
  readonly asText?: JsonObject;
}

/** Reads the signing request for what a client of this preset sent. */
export function readSentRequest(preset: string, rule: string | undefined, request: SentRequest): SigningView {
  const name = preset.replace(OTHER_KEYS, '');
  const reader = READERS[`${name} ${rule ?? ''}`.trim()] ?? READERS[name];
  if (reader === undefined) throw new Error(`No reader for ${preset} ${rule ?? ''}: add one.`);
  return reader(request);
}

/** Other kinds of keys, and test networks: the same requests. */
const OTHER_KEYS = /-(?:ed25519|rsa|testnet)$/;

type Reader = (request: SentRequest) => SigningView;

/** Names and decoded values; `+` is a space, as in forms. */
type Pairs = readonly (readonly [name: string, value: string])[];

/** Splits as sent: `URL` would encode it again. */
export function splitUrl(url: string) {
  const [, host = '', pathAndQuery = ''] = /^https?:\/\/([^/]+)([^#]*)$/.exec(url) ?? [];
  const [path = '', ...queries] = pathAndQuery.split('?');
  return { host, path, query: queries.join('?') };
}

/** Text that is not percent-encoded is as it is: some clients leave that to the HTTP client. */
function decodeText(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? text : decodeURIComponent(text.replaceAll('+', ' '));
}

/** Decoded parameters of a query or form. */
function parsePairs(query: string): Pairs {
  const texts = query === '' ? [] : query.split('&');
  return texts.map((text) => {
    const [name = '', ...values] = text.split('=');
    return [decodeText(name), decodeText(values.join('='))];
  });
}

/** Parameters of a query or form as an object, which has no repeated name. */
export function parameters(text: string): JsonObject {
  return Object.fromEntries(parsePairs(text));
}

function header({ headers }: SentRequest, name: string): string {
  return headers[name] ?? '';
}

interface HeaderOptions {
  /** Field of `data` for the time; default: timestamp. */
  readonly field?: string;
  /** The venue signs the query before percent-encoding. */
  readonly isDecoded?: boolean;
  /** The venue does not sign the query. */
  readonly hasNoQuery?: boolean;
  /** Header with the access key, which is signed. */
  readonly accessKey?: string;
}

/** Signature and time in headers; method, path, query and body of the request. */
function inHeaders(sign: string, time: string, options: HeaderOptions = {}): Reader {
  return (request) => {
    const { path, query } = splitUrl(request.url);
    const data = {
      ...(options.accessKey === undefined ? {} : { accessKey: header(request, options.accessKey) }),
      [options.field ?? 'timestamp']: header(request, time),
      method: request.method,
      path,
      ...(request.body === '' ? {} : { body: request.body }),
    };
    const signature = header(request, sign);
    if (query === '' || options.hasNoQuery) return { data, signature };
    const asText = { ...data, query: options.isDecoded ? decodeText(query) : query };
    return { data: { ...data, query: parameters(query) }, asText, signature };
  };
}

/** The signature is a parameter of query or form body. */
const inParameters: Reader = ({ url, body }) => {
  const pairs = parsePairs([splitUrl(url).query, body].filter((text) => text !== '').join('&'));
  const params = Object.fromEntries(pairs.filter(([name]) => name !== 'signature'));
  return { data: { params }, signature: pairs.find(([name]) => name === 'signature')?.[1] ?? '' };
};

/** Data and signature in a body or message of JSON. */
function inBody(
  // biome-ignore lint/suspicious/noExplicitAny: a wrong path fails the comparison.
  read: (content: any, request: SentRequest) => readonly [data: JsonObject, signature: string],
): Reader {
  return (request) => {
    const [data, signature] = read(JSON.parse(request.body), request);
    return { data, signature };
  };
}

/** Reads messages of WebSockets in another way than requests. */
function messageOr(ofMessage: Reader, ofRequest: Reader): Reader {
  return (request) => (request.method === 'MESSAGE' ? ofMessage : ofRequest)(request);
}

const LOGIN = inBody(({ args: [{ timestamp, sign }] }) => [{ timestamp }, sign]);
const MESSAGE = inBody(({ params: { signature, ...params } }) => [{ params }, signature]);
const WHOLE_BODY = inBody(({ signature, ...data }) => [data, signature]);

/** Bithumb, Upbit: nonce and time are claims of the token. */
const TOKEN_OF_PARAMETERS: Reader = (request) => {
  const signature = bearer(request);
  const { nonce, timestamp } = tokenPart(signature, 1);
  const pairs = parsePairs(splitUrl(request.url).query);
  // Names that end with [] have lists, as in the query of a token.
  const lists = pairs.map(([name, value]) => [
    name,
    name.endsWith('[]') ? pairs.filter(([other]) => other === name).map(([, one]) => one) : value,
  ]);
  const params: JsonObject = request.body === '' ? Object.fromEntries(lists) : JSON.parse(request.body);
  const isEmpty = Object.keys(params).length === 0;
  return { data: { nonce, ...(timestamp && { timestamp }), ...(!isEmpty && { params }) }, signature };
};

/** Coinbase: nonce in the token's header, time in its claim `nbf`; messages: field `jwt`. */
const COINBASE: Reader = (request) => {
  const isMessage = request.method === 'MESSAGE';
  const signature = isMessage ? JSON.parse(request.body).jwt : bearer(request);
  const [{ nonce }, { nbf: timestamp }] = [tokenPart(signature, 0), tokenPart(signature, 1)];
  const signed = isMessage ? {} : { method: request.method, path: splitUrl(request.url).path };
  return { data: { nonce, timestamp, ...signed }, signature };
};

function bearer(request: SentRequest): string {
  return header(request, 'authorization').replace('Bearer ', '');
}

// biome-ignore lint/suspicious/noExplicitAny: members differ by venue.
function tokenPart(token: string, index: 0 | 1): any {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
}

const KRAKEN: Reader = (request) => {
  const { path } = splitUrl(request.url);
  const signature = header(request, 'api-sign');
  const isJson = request.body.startsWith('{');
  const body: JsonObject = isJson ? JSON.parse(request.body) : parameters(request.body);
  const asText = { path, body: request.body, nonce: body['nonce'] ?? '' };
  return isJson ? { data: asText, signature } : { data: { path, body }, asText, signature };
};

/** Deribit's header Authorization: `deri-hmac-sha256 id=…,ts=…,sig=…,nonce=…`. */
const DERIBIT: Reader = (request) => {
  const parts = new URLSearchParams(header(request, 'authorization').replace(/^\S+ /, '').replaceAll(',', '&'));
  const { path, query } = splitUrl(request.url);
  const data = { timestamp: parts.get('ts') ?? '', nonce: parts.get('nonce') ?? '', method: request.method, path };
  // Base64 may contain +, which is a space in forms.
  return { data: { ...data, query: parameters(query) }, signature: (parts.get('sig') ?? '').replaceAll(' ', '+') };
};

const HTX: Reader = ({ method, url }) => {
  const { host, path, query } = splitUrl(url);
  const { Signature = '', ...params } = parameters(query);
  return { data: { method, host, path, params }, signature: String(Signature) };
};

const WOO_V1: Reader = (request) => ({
  data: {
    params: parameters(splitUrl(request.url).query + request.body),
    timestamp: header(request, 'x-api-timestamp'),
  },
  signature: header(request, 'x-api-signature'),
});

/** Instructions of the endpoints used here: Backpack signs a name, no method and path. */
const INSTRUCTIONS: { readonly [endpoint: string]: string } = {
  'POST /api/v1/order': 'orderExecute',
  'POST /api/v1/orders': 'orderExecute',
  'GET /api/v1/orders': 'orderQueryAll',
};

const BACKPACK: Reader = (request) => {
  const { path, query } = splitUrl(request.url);
  const sent: JsonValue = request.body === '' ? parameters(query) : JSON.parse(request.body);
  return {
    data: {
      instruction: INSTRUCTIONS[`${request.method} ${path}`] ?? '',
      ...(Array.isArray(sent) ? { orders: sent } : { params: sent }),
      timestamp: Number(header(request, 'x-timestamp')),
      window: Number(header(request, 'x-window')),
    },
    signature: header(request, 'x-signature'),
  };
};

/** `{r, s, v}` as the 65 bytes r ‖ s ‖ v. */
function joinSignature({ r, s, v }: { r: string; s: string; v: number }): string {
  return `0x${[r, s].map((part) => part.slice(2).padStart(64, '0')).join('')}${v.toString(16)}`;
}

const toMembers = (names: readonly string[]) =>
  names.map((name) => ({ name, type: name === 'time' ? 'uint64' : 'string' }));

/** User-signed actions: transfer and withdrawal, which have the same members. */
const HYPERLIQUID_USER = inBody(({ action: { type, signatureChainId, ...message }, signature }) => {
  const primaryType = `HyperliquidTransaction:${type}`;
  const domain = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };
  return [
    {
      domain: {
        name: 'HyperliquidSignTransaction',
        version: '1',
        chainId: Number(signatureChainId),
        verifyingContract: `0x${'0'.repeat(40)}`,
      },
      types: {
        EIP712Domain: Object.entries(domain).map(([name, type]) => ({ name, type })),
        [primaryType]: toMembers(['hyperliquidChain', 'destination', 'amount', 'time']),
      },
      primaryType,
      message,
    },
    joinSignature(signature),
  ];
});

const PARADEX = inBody(({ signature, ...data }) => {
  const digits = JSON.parse(signature).map((number: string) => BigInt(number).toString(16).padStart(64, '0'));
  return [data, `0x${digits.join('')}`];
});

const READERS: { readonly [preset: string]: Reader } = {
  apex: inHeaders('apex-signature', 'apex-timestamp', { isDecoded: true }),
  aster: inParameters,
  'aster-v3': inParameters,
  backpack: BACKPACK,
  binance: inParameters,
  'binance-ed25519 fix': inBody(({ rawData, ...data }) => [data, rawData]),
  'binance websocket': MESSAGE,
  bingx: inParameters,
  // The path is signed with the prefix /api, which is part of the rule.
  bitfinex: inBody((body, request) => [
    { path: splitUrl(request.url).path, nonce: header(request, 'bfx-nonce'), body },
    header(request, 'bfx-signature'),
  ]),
  'bitfinex login': inBody(({ authNonce: nonce, authSig }) => [{ nonce }, authSig]),
  bitget: inHeaders('access-sign', 'access-timestamp', { isDecoded: true }),
  'bitget login': LOGIN,
  bithumb: TOKEN_OF_PARAMETERS,
  bitmex: inHeaders('api-signature', 'api-expires', { field: 'expires' }),
  bitvavo: messageOr(
    inBody(({ timestamp, signature }) => [{ timestamp, method: 'GET', path: '/v2/websocket' }, signature]),
    inHeaders('bitvavo-access-signature', 'bitvavo-access-timestamp'),
  ),
  bybit: inHeaders('x-bapi-sign', 'x-bapi-timestamp'),
  'bybit login': inBody(({ args: [, expires, signature] }) => [{ expires }, signature]),
  coinbase: COINBASE,
  'coinbase-exchange': inHeaders('cb-access-sign', 'cb-access-timestamp'),
  coinex: inHeaders('x-coinex-sign', 'x-coinex-timestamp'),
  'coinex login': inBody(({ params: { timestamp, signed_str } }) => [{ timestamp }, signed_str]),
  'cosmos-hub': WHOLE_BODY,
  'crypto-com': inBody(({ id, method, params, nonce, sig }) => [{ id, method, params, nonce }, sig]),
  deribit: inBody(({ params: { timestamp, nonce, data, signature } }) => [{ timestamp, nonce, data }, signature]),
  'deribit rest': DERIBIT,
  dydx: WHOLE_BODY,
  gate: inHeaders('sign', 'timestamp', { isDecoded: true }),
  'gate websocket': inBody(({ channel, event, time: timestamp, auth }) => [{ channel, event, timestamp }, auth.SIGN]),
  'gate websocket-api': inBody(({ channel, payload: { req_param, timestamp, signature } }) => [
    { channel, body: JSON.stringify(req_param), timestamp },
    signature,
  ]),
  // The payload is base64 of the JSON in a header.
  gemini: (request) => {
    const text = Buffer.from(header(request, 'x-gemini-payload'), 'base64').toString();
    const signature = header(request, 'x-gemini-signature');
    return { data: { payload: JSON.parse(text) }, asText: { payload: text }, signature };
  },
  htx: messageOr(
    inBody(({ params: { authType: _, signature, ...params } }, { url }) => {
      const { host, path } = splitUrl(url);
      return [{ method: 'GET', host, path, params }, signature];
    }),
    HTX,
  ),
  hyperliquid: inBody(({ signature, ...data }) => [data, joinSignature(signature)]),
  'hyperliquid user': HYPERLIQUID_USER,
  kraken: KRAKEN,
  // ccxt sends post data in the URL, also with POST; the venue signs its path without a prefix.
  'kraken-futures': (request) => {
    const { path, query } = splitUrl(request.url);
    const data = { path: path.replace('/derivatives', ''), query: parameters(query) };
    return { data, signature: header(request, 'authent') };
  },
  kucoin: inHeaders('kc-api-sign', 'kc-api-timestamp', { isDecoded: true }),
  mexc: inParameters,
  'mexc futures': inHeaders('signature', 'request-time', { accessKey: 'apikey' }),
  okx: inHeaders('ok-access-sign', 'ok-access-timestamp'),
  'okx login': LOGIN,
  orderly: inHeaders('orderly-signature', 'orderly-timestamp'),
  pacifica: WHOLE_BODY,
  paradex: PARADEX,
  phemex: inHeaders('x-phemex-request-signature', 'x-phemex-request-expiry', { field: 'expiry' }),
  polymarket: inHeaders('poly_signature', 'poly_timestamp', { hasNoQuery: true }),
  upbit: TOKEN_OF_PARAMETERS,
  woo: inHeaders('x-api-signature', 'x-api-timestamp'),
  'woo-v1': messageOr(
    inBody(({ params: { timestamp, sign } }) => [{ params: {}, timestamp }, sign]),
    WOO_V1,
  ),
};
