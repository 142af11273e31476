import type { SdkRecord } from './clients.ts';
import type { ParityResult } from './compare-record.ts';

/** A result other than `same` that was investigated. */
export interface ExpectedDifference {
  /** Client and preset, with a named rule after a blank. */
  readonly of: readonly string[];
  readonly kinds: readonly string[];
  /** `differs` if absent. */
  readonly result?: ParityResult;
  /** Why the preset is right, or what it lacks. */
  readonly reason: string;
}

const ENCODED = ['reserved', 'non-ASCII'];

/** Results that were investigated. An entry without its result fails the check too. */
export const EXPECTED_DIFFERENCES: readonly ExpectedDifference[] = [
  {
    of: ['ccxt binance'],
    kinds: ['batch'],
    reason:
      "Signs and sends these parameters without percent-encoding. Binance's documentation requires encoding since 2026-01-15; its own connector encodes",
  },
  {
    of: ['@binance/spot binance', '@binance/spot binance-ed25519', '@binance/spot binance-rsa'],
    kinds: ['parentheses'],
    reason:
      "Leaves !'()* of RFC 3986 in the signed text and encodes some of them when sending; what is sent as signed, as here, is valid either way",
  },
  {
    of: ['binance', 'binance-ed25519', 'binance-rsa'].map((preset) => `@binance/spot ${preset} websocket`),
    kinds: ENCODED,
    reason:
      "Percent-encodes the signed text, as for REST; Binance's documentation of the WebSocket API does not, with a published signature",
  },
  {
    of: ['ccxt bybit'],
    kinds: ENCODED,
    reason:
      'Signs the query before percent-encoding and sends it encoded; Bybit verifies it as sent (sieblyio/bybit-api pull request 198, zhouaini528/bybit-php issue 24)',
  },
  { of: ['ccxt bybit-rsa'], kinds: ['reserved'], reason: 'As with HMAC keys' },
  { of: ['pybit bybit'], kinds: ENCODED, reason: 'As ccxt' },
  {
    of: ['python-okx okx'],
    kinds: ENCODED,
    reason:
      'Signs the query before percent-encoding. OKX documents the request path with its query as signed; ccxt and OKX.Net sign it as sent',
  },
  {
    of: ['python-okx okx'],
    kinds: ['query'],
    result: 'same as text',
    reason: 'Signs and sends a comma without encoding',
  },
  {
    of: ['bitget-api bitget-rsa'],
    kinds: ['reserved'],
    reason: 'Signs the percent-encoded text, which Bitget rejects with code 40009 (ccxt issue 28888)',
  },
  {
    of: ['gate-api gate'],
    kinds: ['non-ASCII'],
    reason: 'Decodes with unescape, which reads UTF-8 as Latin-1; Gate verifies the decoded text',
  },
  {
    of: ['ccxt kraken'],
    kinds: ['nested'],
    result: 'same as text',
    reason: 'Leaves the brackets of close[ordertype] without encoding; Kraken verifies the body as sent',
  },
  {
    of: ['ccxt orderly'],
    kinds: ENCODED,
    reason:
      "Signs the query before percent-encoding and sends it encoded; Orderly's documented code signs pathname and search of the URL, which are encoded",
  },
  {
    of: ['ccxt coinex'],
    kinds: ['order', 'query'],
    result: 'same text',
    reason: "SHA-256 of the text and the secret, an older form; CoinEx's documentation requires HMAC-SHA256",
  },
  {
    of: ['ccxt coinex'],
    kinds: ENCODED,
    reason:
      'Signs the query before percent-encoding. The documented code encodes the text as Latin-1, which has no other characters; unproven, as the preset says',
  },
  {
    of: ['ccxt backpack'],
    kinds: ENCODED,
    reason: "Signs the percent-encoded text; Backpack's documentation and the client bpx-py do not encode",
  },
  {
    of: ['ccxt coinbase'],
    kinds: ['order', 'query'],
    reason:
      "Older claims: iss coinbase-cloud, with aud and iat. The preset's are those of Coinbase's own client; kid, nonce, sub, uri and times are the same",
  },
  {
    of: ['ccxt coinbase-ed25519'],
    kinds: ['order', 'query'],
    reason:
      "Claims aud, iat and the list uris of Coinbase's other APIs. The preset's are those of Coinbase's own client for Advanced Trade; kid, nonce, sub and times are the same",
  },
  {
    of: ['ccxt upbit'],
    kinds: ['order', 'array', 'no parameters', 'reserved', 'non-ASCII'],
    result: 'same claims',
    reason: "Signs with HS256, as alg says, which Upbit's documentation allows; it recommends HS512",
  },
  {
    of: ['coinbase-advanced-py coinbase'],
    kinds: ['order', 'reserved'],
    result: 'same token',
    reason: 'Its signatures contain random numbers',
  },
  {
    of: ['coinbase-advanced-py coinbase websocket'],
    kinds: ['subscription'],
    result: 'same token',
    reason: 'As requests',
  },
  {
    of: ['ccxt-aster-v1 aster'],
    kinds: ENCODED,
    reason: "Signs the parameters before percent-encoding; Aster's own client in Python signs them encoded",
  },
];

/** The expectation for a record, if any. */
export function findExpectation(record: SdkRecord): ExpectedDifference | undefined {
  return EXPECTED_DIFFERENCES.find(({ of, kinds }) => of.includes(nameOf(record)) && kinds.includes(record.kind));
}

/** Client and preset of a record. */
export function nameOf(record: SdkRecord): string {
  return `${record.source} ${platformOf(record)}`;
}

/** The preset, with its named rule after a blank. */
export function platformOf({ preset, rule }: Pick<SdkRecord, 'preset' | 'rule'>): string {
  return rule === undefined ? preset : `${preset} ${rule}`;
}
