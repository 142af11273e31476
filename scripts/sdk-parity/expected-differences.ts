import type { ParityResult } from './compare-record.ts';
import type { SdkRecord } from './sdk-record.ts';

/** A result other than `same` that was investigated. */
export interface ExpectedDifference {
  readonly source: string;
  readonly preset: string;
  /** Named rule of the preset; absent: its default rule. */
  readonly rule?: string;
  readonly kinds: readonly string[];
  readonly result: ParityResult;
  /** Why the preset is right, or what it lacks. */
  readonly reason: string;
}

/** Results that were investigated. An entry without its result fails the check too. */
export const EXPECTED_DIFFERENCES: readonly ExpectedDifference[] = [
  {
    source: 'ccxt',
    preset: 'binance',
    kinds: ['batch', 'non-ASCII withdrawal'],
    result: 'differs',
    reason:
      "Signs and sends these parameters without percent-encoding. Binance's documentation requires encoding since 2026-01-15; its own connector encodes",
  },
  {
    source: 'ccxt',
    preset: 'binance',
    kinds: ['repeated name'],
    result: 'refused',
    reason:
      "An object has no repeated name (asset=BTC&asset=LTC); Binance's own connector sends asset=BTC%2CLTC, which the preset signs",
  },
  {
    source: '@binance/spot',
    preset: 'binance',
    kinds: ['parentheses'],
    result: 'differs',
    reason:
      "Leaves !'()* of RFC 3986 in the signed text and encodes some of them when sending; what is sent as signed, as here, is valid either way",
  },
  {
    source: '@binance/spot',
    preset: 'binance-ed25519',
    kinds: ['parentheses'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: '@binance/spot',
    preset: 'binance-rsa',
    kinds: ['parentheses'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: '@binance/connector',
    preset: 'binance',
    kinds: ['parentheses'],
    result: 'differs',
    reason: 'As @binance/spot',
  },
  {
    source: '@binance/connector',
    preset: 'binance-rsa',
    kinds: ['parentheses'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: 'ccxt',
    preset: 'bybit',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason:
      'Signs the query before percent-encoding and sends it encoded; Bybit verifies it as sent (sieblyio/bybit-api pull request 198, zhouaini528/bybit-php issue 24)',
  },
  {
    source: 'pybit',
    preset: 'bybit',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: 'As ccxt',
  },
  {
    source: 'ccxt',
    preset: 'bybit-rsa',
    kinds: ['reserved'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: 'okx-api',
    preset: 'okx',
    kinds: ['reserved', 'ampersand', 'non-ASCII'],
    result: 'differs',
    reason:
      'Signs the query before percent-encoding. OKX documents the request path with its query as signed; ccxt and OKX.Net sign it as sent',
  },
  {
    source: 'python-okx',
    preset: 'okx',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: 'As okx-api',
  },
  {
    source: 'python-okx',
    preset: 'okx',
    kinds: ['query'],
    result: 'same as text',
    reason: 'Signs and sends a comma without encoding',
  },
  {
    source: 'python-bitvavo-api',
    preset: 'bitvavo',
    kinds: ['non-ASCII'],
    result: 'differs',
    reason: "Signs the query before percent-encoding; Bitvavo's own client for Node signs it as sent",
  },
  {
    source: 'python-kraken-sdk',
    preset: 'kraken',
    kinds: ['reserved'],
    result: 'same as text',
    reason: 'Encodes a space as +; Kraken verifies the body as sent',
  },
  {
    source: '@binance/spot',
    preset: 'binance-ws',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason:
      "Percent-encodes the signed text, as for REST; Binance's documentation of the WebSocket API does not, with a published signature",
  },
  {
    source: '@binance/spot',
    preset: 'binance-ws-ed25519',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: '@binance/spot',
    preset: 'binance-rsa',
    rule: 'websocket',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: 'bitget-api',
    preset: 'bitget',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: 'Signs the percent-encoded text, which Bitget rejects with code 40009 (ccxt issue 28888)',
  },
  {
    source: 'bitget-api',
    preset: 'bitget-rsa',
    kinds: ['reserved'],
    result: 'differs',
    reason: 'As with HMAC keys',
  },
  {
    source: 'gate-api',
    preset: 'gate',
    kinds: ['non-ASCII'],
    result: 'differs',
    reason: 'Decodes with unescape, which reads UTF-8 as Latin-1; Gate verifies the decoded text',
  },
  {
    source: 'gateio-api',
    preset: 'gate',
    kinds: ['reserved'],
    result: 'differs',
    reason: 'Sends + without encoding, which is a space in a query; the signed text is the same otherwise',
  },
  {
    source: 'ccxt',
    preset: 'kraken',
    kinds: ['nested'],
    result: 'same as text',
    reason: 'Leaves the brackets of close[ordertype] without encoding; Kraken verifies the body as sent',
  },
  {
    source: 'ccxt',
    preset: 'orderly',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason:
      "Signs the query before percent-encoding and sends it encoded; Orderly's documented code signs pathname and search of the URL, which are encoded",
  },
  {
    source: 'ccxt',
    preset: 'coinex',
    kinds: ['order', 'cancel', 'batch', 'withdrawal', 'query'],
    result: 'same text',
    reason: "SHA-256 of the text and the secret, an older form; CoinEx's documentation requires HMAC-SHA256",
  },
  {
    source: 'ccxt',
    preset: 'coinex',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason:
      'Signs the query before percent-encoding. The documented code encodes the text as Latin-1, which has no other characters; unproven, as the preset says',
  },
  {
    source: 'ccxt',
    preset: 'backpack',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: "Signs the percent-encoded text; Backpack's documentation and the client bpx-py do not encode",
  },
  {
    source: 'ccxt',
    preset: 'coinbase',
    kinds: ['order', 'cancel', 'query'],
    result: 'differs',
    reason:
      "Older claims: iss coinbase-cloud, with aud and iat. The preset's are those of Coinbase's own client; kid, nonce, sub, uri and times are the same",
  },
  {
    source: 'ccxt',
    preset: 'coinbase-ed25519',
    kinds: ['order', 'cancel', 'query'],
    result: 'differs',
    reason:
      "Claims aud, iat and the list uris of Coinbase's other APIs. The preset's are those of Coinbase's own client for Advanced Trade; kid, nonce, sub and times are the same",
  },
  {
    source: 'coinbase-api',
    preset: 'coinbase',
    kinds: ['order', 'cancel', 'query', 'reserved', 'ampersand'],
    result: 'same members',
    reason: 'Header and claims in another order; without typ, which RFC 7519 §5.1 leaves optional',
  },
  {
    source: 'coinbase-api',
    preset: 'coinbase',
    rule: 'websocket',
    kinds: ['subscription'],
    result: 'same members',
    reason: 'As for REST',
  },
  {
    source: 'coinbase-api',
    preset: 'coinbase-ed25519',
    kinds: ['order', 'cancel', 'query', 'reserved', 'ampersand'],
    result: 'same members',
    reason: 'As with ECDSA keys',
  },
  {
    source: 'coinbase-api',
    preset: 'coinbase-ed25519',
    rule: 'websocket',
    kinds: ['subscription'],
    result: 'same members',
    reason: 'As with ECDSA keys',
  },
  {
    source: 'ccxt',
    preset: 'upbit',
    kinds: ['order', 'cancel', 'withdrawal', 'array', 'no parameters', 'reserved', 'non-ASCII'],
    result: 'same claims',
    reason: "Signs with HS256, as alg says, which Upbit's documentation allows; it recommends HS512",
  },
  {
    source: 'coinbase-advanced-py',
    preset: 'coinbase',
    kinds: ['order', 'cancel', 'query', 'reserved', 'non-ASCII'],
    result: 'same token',
    reason: 'Its signatures contain random numbers',
  },
  {
    source: 'coinbase-advanced-py',
    preset: 'coinbase',
    rule: 'websocket',
    kinds: ['subscription'],
    result: 'same token',
    reason: 'As for REST',
  },
  {
    source: 'ccxt-aster-v1',
    preset: 'aster',
    kinds: ['reserved', 'non-ASCII'],
    result: 'differs',
    reason: "Signs the parameters before percent-encoding; Aster's own client in Python signs them encoded",
  },
];

/** The expectation for a record, if any. */
export function findExpectation(record: SdkRecord): ExpectedDifference | undefined {
  return EXPECTED_DIFFERENCES.find(
    (expected) => isOfSameRule(expected, record) && expected.kinds.includes(record.kind),
  );
}

/** Whether both have the same client, preset and rule. */
export function isOfSameRule(expected: ExpectedDifference, { source, preset, rule }: SdkRecord): boolean {
  return expected.source === source && expected.preset === preset && expected.rule === rule;
}
