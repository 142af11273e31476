import type { VenuePreset } from './venue-preset.ts';

/** Bybit API v5, REST, HMAC keys. */
export const BYBIT: VenuePreset = {
  name: 'bybit',
  venue: 'Bybit API v5, REST, HMAC keys',
  docs: 'https://bybit-exchange.github.io/docs/v5/guide#authentication',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{account.apiKey}{account.recvWindow}{query}{body}',
      timestamp: 'ms',
      values: { recvWindow: '5000' },
    },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { login: { rule: 'prehash', template: 'GET/realtime{data.expires}' } },
  },
  rules: {
    login: {
      venue: 'Bybit API v5, authentication of a WebSocket, HMAC keys',
      docs: 'https://bybit-exchange.github.io/docs/v5/ws/connect#authentication',
      notes: ['expires is a future time in milliseconds; the auth message must contain the signed value.'],
      example: {
        source:
          'https://github.com/nautechsystems/nautilus_trader/blob/17b9c239c1d86a16ae1ed6d937aacc7f4c4633a8/crates/adapters/bybit/src/common/credential.rs',
        key: { text: 'test_secret' },
        values: { apiKey: 'test_api_key' },
        data: { expires: 1700000000000 },
        payload: 'GET/realtime1700000000000',
        signature: 'bacffe7500499eb829bb58c45d36d1b3e5ac67c14eaeba91df5e99ccee013925',
      },
    },
  },
  keyFile: 'the API secret, exactly as Bybit shows it',
  values: { apiKey: 'the API key, as sent in the header X-BAPI-API-KEY' },
  notes: [
    "The headers X-BAPI-TIMESTAMP, X-BAPI-API-KEY and X-BAPI-RECV-WINDOW must contain the signed values. An account's values require apiKey; recvWindow is 5000 by default.",
    'The query string is signed without "?" and in the order sent; Bybit does not sort it. Method and path are not signed.',
    'Bybit verifies the query percent-encoded, as sent (bybit-api pull request 198, bybit-php issue 24). Its own client in Python signs it before percent-encoding, which is the same for letters, digits, "-", "_" and ".".',
    'Send the body byte for byte as signed.',
    "Bybit's guide shows two signatures (410e0f38… for a GET, f0da7197… for a POST) without their secret, so they cannot be verified.",
  ],
  example: {
    source:
      'https://github.com/zhuco/rustcta/blob/3859b6804f49fb3a9767bfc8689a9304741e56b4/tests/fixtures/exchanges/bybit/signing_vectors/place_order_limit.json',
    key: { text: 'test-secret' },
    values: { apiKey: 'test-key' },
    data: {
      timestamp: 1700000000000,
      method: 'POST',
      path: '/v5/order/create',
      body: {
        category: 'linear',
        orderLinkId: 'cli-place',
        orderType: 'Limit',
        positionIdx: 1,
        price: '25000',
        qty: '0.01',
        side: 'Buy',
        symbol: 'BTCUSDT',
      },
    },
    payload:
      '1700000000000test-key5000{"category":"linear","orderLinkId":"cli-place","orderType":"Limit","positionIdx":1,"price":"25000","qty":"0.01","side":"Buy","symbol":"BTCUSDT"}',
    signature: '61ca803aa771613200b534a9e9e2ab4b46c7b7870baa675f3f83991500a9d783',
  },
};
