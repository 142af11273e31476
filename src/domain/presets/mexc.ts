import type { VenuePreset } from './venue-preset.ts';

/** MEXC spot API v3, and futures. */
export const MEXC: VenuePreset = {
  name: 'mexc',
  venue: 'MEXC spot API v3',
  docs: 'https://www.mexc.com/api-docs/spot-v3/general-info',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: {
      futures: {
        rule: 'prehash',
        template: '{data.accessKey}{timestamp}{query}{body}',
        timestamp: 'ms',
        query: { sort: true, parameters: { timestamp: 'excluded' } },
      },
    },
  },
  rules: {
    futures: {
      venue: 'MEXC futures API v1',
      docs: 'https://www.mexc.com/api-docs/futures/integration-guide',
      notes: [
        'accessKey is the API key in the header ApiKey, timestamp the time in milliseconds in the header Request-Time. The signature is sent in the header Signature.',
        'A GET or DELETE signs its parameters sorted by name, a POST its JSON body as sent. Method and path are not signed.',
        'A parameter timestamp is rejected: with it, the text could pass for a request of the spot API.',
        "MEXC's guide contains code for signing, but no signature. Its encoder leaves * unchanged and encodes ~, the reverse of what is signed here: do not use these two characters in parameters.",
      ],
      example: {
        source: 'https://www.mexc.com/api-docs/futures/integration-guide',
        isComputed: true,
        key: { text: 'my-secret' },
        data: {
          accessKey: 'my-key',
          timestamp: 1587442022003,
          method: 'GET',
          path: '/api/v1/private/order/list/open_orders/BTC_USDT',
          query: { page_size: 20, page_num: 1 },
        },
        payload: 'my-key1587442022003page_num=1&page_size=20',
        signature: 'd5480b6351de2ea6a89d66207e0e2195be73b5f0033d9ed2744672f30c7108ec',
      },
    },
  },
  keyFile: 'the API secret, exactly as MEXC shows it',
  notes: [
    'As Binance REST; the signature must be lowercase.',
    'Percent-encoding must use uppercase hex digits, as here (a comma is %2C).',
    "The documentation's Example 1 shows 323c96ab… for the same text as Example 2, which is an error in the documentation.",
    'Parameters split between query string and body are concatenated without "&" for signing.',
  ],
  example: {
    source:
      'https://github.com/mexcdevelop/apidocs/blob/0aeb1756a77640bd9e78c151c0b514b8d46cb73b/spot_v3_en/index.html',
    key: { text: '45d0b3c26f2644f19bfb98b07741b2f5' },
    data: {
      params: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '1',
        price: '11',
        recvWindow: 5000,
        timestamp: 1644489390087,
      },
    },
    payload: 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1&price=11&recvWindow=5000&timestamp=1644489390087',
    signature: 'fd3e4e8543c5188531eb7279d68ae7d26a573d0fc5ab0d18eb692451654d837a',
  },
};
