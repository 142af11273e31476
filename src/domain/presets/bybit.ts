import { RFC_9500_KEY } from './published-rsa-keys.ts';
import type { VenuePreset } from './venue-preset.ts';

/** Requests. */
const REQUEST = {
  rule: 'prehash',
  template: '{timestamp}{account.apiKey}{account.recvWindow}{query}{body}',
  timestamp: 'ms',
  values: { recvWindow: '5000' },
} as const;

/** Authentication of a WebSocket. */
const LOGIN = { rule: 'prehash', template: 'GET/realtime{data.expires}' } as const;

/** Bybit API v5, REST, HMAC keys. */
export const BYBIT: VenuePreset = {
  name: 'bybit',
  venue: 'Bybit API v5, REST, HMAC keys',
  docs: 'https://bybit-exchange.github.io/docs/v5/guide#authentication',
  platform: {
    format: 'any',
    payload: REQUEST,
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { login: LOGIN },
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

/** {@link BYBIT} with RSA keys. */
export const BYBIT_RSA: VenuePreset = {
  name: 'bybit-rsa',
  venue: 'Bybit API v5, REST, RSA keys',
  docs: 'https://bybit-exchange.github.io/docs/v5/guide#authentication',
  platform: {
    format: 'any',
    payload: REQUEST,
    algorithms: ['rsa-sha256'],
    encoding: 'base64',
    rules: { login: LOGIN },
  },
  rules: {
    login: {
      venue: 'Bybit API v5, authentication of a WebSocket, RSA keys',
      docs: 'https://bybit-exchange.github.io/docs/v5/ws/connect#authentication',
      notes: ['expires is a future time in milliseconds; the auth message must contain the signed value.'],
      example: {
        source: 'https://bybit-exchange.github.io/docs/v5/ws/connect#authentication',
        isComputed: true,
        key: { pem: RFC_9500_KEY },
        values: { apiKey: 'test_api_key' },
        data: { expires: 1700000000000 },
        payload: 'GET/realtime1700000000000',
        signature:
          'Y4SnXZAaSwH3Hy411o/lQXAh7gEBd1CEQrJnNoOts3+otkBTaZyKTIbUu+iMV4TbPAzS7z71VeA04Y0paBJLupWapUQucOpr1w0rcLptcI2Im4u7oIwrgJSynJUrcVdF8JChGlrcmeuDdJn6fF9ZfFkFQ9Gmv09eoJGS0w+hN4LMTMMNO/wGjPFWZeB921FocRoHs4/eh1osVz0PA6HKBuxqJYImcI6KLnfkVHN0genCfNgkn62eZS4X7Fgs/+BDvZiRylIsVFTNzGfmk7FYv5Fxc/crvtq2O/mIvHM73Wg4vjmzJrs+SFCUpzyEk2yN2HvGDAAXAzHTs6G/DrqJfA==',
      },
    },
  },
  keyFile: 'the private key as PEM (PKCS#8 or RSA PRIVATE KEY) whose public key was registered with Bybit',
  values: { apiKey: 'the API key, as sent in the header X-BAPI-API-KEY' },
  notes: [
    'The signed text is the same as for HMAC keys; the signature is base64.',
    "The headers X-BAPI-TIMESTAMP, X-BAPI-API-KEY and X-BAPI-RECV-WINDOW must contain the signed values. An account's values require apiKey; recvWindow is 5000 by default.",
    'The query string is signed without "?" and in the order sent; Bybit does not sort it. Method and path are not signed.',
    'Send the body byte for byte as signed.',
  ],
  example: {
    source: 'https://bybit-exchange.github.io/docs/v5/guide#authentication',
    isComputed: true,
    key: { pem: RFC_9500_KEY },
    values: { apiKey: 'test_api_key' },
    data: { timestamp: 1700000000000, query: { category: 'linear', symbol: 'BTCUSDT' } },
    payload: '1700000000000test_api_key5000category=linear&symbol=BTCUSDT',
    signature:
      'FKMUfeXYv9sOa+mfgLBF0h+jPyG+FiTlOwJTpIgS9LSXvXdlTpiFlyyWzxAAFbcs0W/A5573BkfNBj+hPkZV8GDR8OR83CYeipqi0QHE1GtdPb+5xE74BnPHuhTnNIE51LUwEO8/1ioTD9+5Ok8tcrNif90tgByv7FSzEQJ+R94EB/3Hbcoebipnw2p0poxmE0DSXB44L+gQaLI6v7nePCw8dFeFMZmwuGEilUM4Mi4FOiBz/27pCZ8HVerlfwpsneL+dLdFZclQklWh+NEoJw08sgKcNnQbw/1I5kJ8FCK7mf1x/DkxAuj50MeiN/RJVASWyLvoTJ+tZCccVMV3SQ==',
  },
};
