import type { SdkRecord } from './clients.ts';
import type { ParityResult } from './compare-record.ts';

/** A result other than `same` that was investigated. */
export interface ExpectedDifference {
  readonly source: string;
  /** Presets, a named rule after a blank. */
  readonly presets: readonly string[];
  readonly kinds: readonly string[];
  readonly result: ParityResult;
  /** Why the preset is right, or what it lacks. */
  readonly reason: string;
}

const [RESERVED, ENCODED] = [['reserved'], ['reserved', 'non-ASCII']];

/** Results that were investigated. An entry without its result fails the check too. */
export const EXPECTED_DIFFERENCES: readonly ExpectedDifference[] = [
  {
    source: 'ccxt',
    presets: ['binance'],
    kinds: ['batch'],
    result: 'differs',
    reason:
      "Signs and sends these parameters without percent-encoding. Binance's documentation requires encoding since 2026-01-15; its own connector encodes",
  },
  {
    source: '@binance/spot',
    presets: ['binance', 'binance-ed25519', 'binance-rsa'],
    kinds: ['parentheses'],
    result: 'differs',
    reason:
      "Leaves !'()* of RFC 3986 in the signed text and encodes some of them when sending; what is sent as signed, as here, is valid either way",
  },
  {
    source: '@binance/spot',
    presets: ['binance-ws', 'binance-ws-ed25519', 'binance-rsa websocket'],
    kinds: ENCODED,
    result: 'differs',
    reason:
      "Percent-encodes the signed text, as for REST; Binance's documentation of the WebSocket API does not, with a published signature",
  },
  {
    source: 'ccxt',
    presets: ['bybit'],
    kinds: ENCODED,
    result: 'differs',
    reason:
      'Signs the query before percent-encoding and sends it encoded; Bybit verifies it as sent (sieblyio/bybit-api pull request 198, zhouaini528/bybit-php issue 24)',
  },
  { source: 'ccxt', presets: ['bybit-rsa'], kinds: RESERVED, result: 'differs', reason: 'As with HMAC keys' },
  { source: 'pybit', presets: ['bybit'], kinds: ENCODED, result: 'differs', reason: 'As ccxt' },
  {
    source: 'python-okx',
    presets: ['okx'],
    kinds: ENCODED,
    result: 'differs',
    reason:
      'Signs the query before percent-encoding. OKX documents the request path with its query as signed; ccxt and OKX.Net sign it as sent',
  },
  {
    source: 'python-okx',
    presets: ['okx'],
    kinds: ['query'],
    result: 'same as text',
    reason: 'Signs and sends a comma without encoding',
  },
  {
    source: 'bitget-api',
    presets: ['bitget-rsa'],
    kinds: RESERVED,
    result: 'differs',
    reason: 'Signs the percent-encoded text, which Bitget rejects with code 40009 (ccxt issue 28888)',
  },
  {
    source: 'gate-api',
    presets: ['gate'],
    kinds: ['non-ASCII'],
    result: 'differs',
    reason: 'Decodes with unescape, which reads UTF-8 as Latin-1; Gate verifies the decoded text',
  },
  {
    source: 'ccxt',
    presets: ['kraken'],
    kinds: ['nested'],
    result: 'same as text',
    reason: 'Leaves the brackets of close[ordertype] without encoding; Kraken verifies the body as sent',
  },
  {
    source: 'ccxt',
    presets: ['orderly'],
    kinds: ENCODED,
    result: 'differs',
    reason:
      "Signs the query before percent-encoding and sends it encoded; Orderly's documented code signs pathname and search of the URL, which are encoded",
  },
  {
    source: 'ccxt',
    presets: ['coinex'],
    kinds: ['order', 'query'],
    result: 'same text',
    reason: "SHA-256 of the text and the secret, an older form; CoinEx's documentation requires HMAC-SHA256",
  },
  {
    source: 'ccxt',
    presets: ['coinex'],
    kinds: ENCODED,
    result: 'differs',
    reason:
      'Signs the query before percent-encoding. The documented code encodes the text as Latin-1, which has no other characters; unproven, as the preset says',
  },
  {
    source: 'ccxt',
    presets: ['backpack'],
    kinds: ENCODED,
    result: 'differs',
    reason: "Signs the percent-encoded text; Backpack's documentation and the client bpx-py do not encode",
  },
  {
    source: 'ccxt',
    presets: ['coinbase'],
    kinds: ['order', 'query'],
    result: 'differs',
    reason:
      "Older claims: iss coinbase-cloud, with aud and iat. The preset's are those of Coinbase's own client; kid, nonce, sub, uri and times are the same",
  },
  {
    source: 'ccxt',
    presets: ['coinbase-ed25519'],
    kinds: ['order', 'query'],
    result: 'differs',
    reason:
      "Claims aud, iat and the list uris of Coinbase's other APIs. The preset's are those of Coinbase's own client for Advanced Trade; kid, nonce, sub and times are the same",
  },
  {
    source: 'ccxt',
    presets: ['upbit'],
    kinds: ['order', 'array', 'no parameters', 'reserved', 'non-ASCII'],
    result: 'same claims',
    reason: "Signs with HS256, as alg says, which Upbit's documentation allows; it recommends HS512",
  },
  {
    source: 'coinbase-advanced-py',
    presets: ['coinbase', 'coinbase websocket'],
    kinds: ['order', 'reserved', 'subscription'],
    result: 'same token',
    reason: 'Its signatures contain random numbers',
  },
  {
    source: 'ccxt-aster-v1',
    presets: ['aster'],
    kinds: ENCODED,
    result: 'differs',
    reason: "Signs the parameters before percent-encoding; Aster's own client in Python signs them encoded",
  },
];

/** The expectation for a record, if any. */
export function findExpectation(record: SdkRecord): ExpectedDifference | undefined {
  return EXPECTED_DIFFERENCES.find(
    ({ source, presets, kinds }) =>
      source === record.source && presets.includes(platformOf(record)) && kinds.includes(record.kind),
  );
}

/** The preset, with its named rule after a blank. */
export function platformOf({ preset, rule }: Pick<SdkRecord, 'preset' | 'rule'>): string {
  return rule === undefined ? preset : `${preset} ${rule}`;
}
