import type { VenuePreset } from './venue-preset.ts';

/** CoinEx API v2, REST. */
export const COINEX: VenuePreset = {
  name: 'coinex',
  venue: 'CoinEx API v2, REST',
  docs: 'https://docs.coinex.com/api/v2/authorization',
  platform: {
    format: 'any',
    payload: { rule: 'prehash', template: '{METHOD}{path}{?query}{body}{timestamp}', timestamp: 'ms' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { login: { rule: 'prehash', template: '{timestamp}', timestamp: 'ms' } },
  },
  rules: {
    login: {
      venue: 'CoinEx API v2, server.sign of a WebSocket',
      docs: 'https://docs.coinex.com/api/v2/authorization',
      notes: ['Only the timestamp is signed, in milliseconds; server.sign must contain the signed timestamp.'],
      example: {
        source: 'https://docs.coinex.com/api/v2/authorization',
        isComputed: true,
        key: { text: 'XXXXXXXXXX' },
        data: { timestamp: 1700490703564 },
        payload: '1700490703564',
        signature: '0cfa0cb389f944381a3689b04e4e65635ad731f206e0abca8159bbb80fa90526',
      },
    },
  },
  keyFile: 'the secret key, exactly as CoinEx shows it',
  notes: [
    'The timestamp comes last in the signed text; the header X-COINEX-TIMESTAMP must equal it, in milliseconds.',
    'The path is signed with /v2, and the query string with "?", in the order sent.',
    'The signature is sent in lowercase letters.',
    'Unproven for characters other than letters, digits, "-", "_" and "." in a query: they are percent-encoded before signing here, since the code in CoinEx documentation encodes the signed text as Latin-1. ccxt and CoinEx.Net sign the query before percent-encoding. Avoid such characters, or test them against CoinEx.',
  ],
  example: {
    source:
      'https://github.com/JKorf/CoinEx.Net/blob/83ed0de84f543ffc777d2a7c006fdce186d0e0f2/CoinEx.Net.UnitTests/CoinExClientTests.cs',
    key: { text: 'XXXXXXXXXX' },
    data: {
      timestamp: 1700490703564,
      method: 'GET',
      path: '/v2/spot/pending-order',
      query: { market: 'BTCUSDT', market_type: 'SPOT', side: 'buy', page: '1', limit: '10' },
    },
    payload: 'GET/v2/spot/pending-order?market=BTCUSDT&market_type=SPOT&side=buy&page=1&limit=101700490703564',
    signature: '444976f4f21d422ab7091b47d9201eb02a6614ff1f4c7b9f6ca57bff632030a5',
  },
};
