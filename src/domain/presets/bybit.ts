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
  },
  keyFile: 'the API secret, exactly as Bybit shows it',
  values: { apiKey: 'the API key, as the header X-BAPI-API-KEY has it' },
  notes: [
    "The headers X-BAPI-TIMESTAMP, X-BAPI-API-KEY and X-BAPI-RECV-WINDOW have to have the signed values: an account's values need its apiKey, and recvWindow is 5000 unless they say otherwise.",
    'The query string is signed without "?" and in the order sent; Bybit does not sort it. Method and path are not signed.',
    'The body has to be sent byte by byte as it was signed.',
    "Bybit's guide prints two signatures (410e0f38… for a GET, f0da7197… for a POST) whose secret it does not: they cannot be checked.",
    `The WebSocket login signs another text: platform add --platform bybit-login --preset bybit --payload '{"rule":"prehash","template":"GET/realtime{data.expires}"}'`,
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
