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
        query: { sort: true },
      },
    },
  },
  rules: {
    futures: {
      venue: 'MEXC futures API v1',
      docs: 'https://www.mexc.com/api-docs/futures/integration-guide',
      notes: [
        'accessKey is the API key of the header ApiKey, timestamp the milliseconds of the header Request-Time; the signature goes into the header Signature.',
        'The parameters of a GET or DELETE are sorted by name, a POST has its JSON body as it is sent. Method and path are not signed.',
        "MEXC's guide has code for the signature, but prints none; its encoder leaves * as it is and encodes ~, the reverse of what is signed here: keep these two out of parameters.",
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
    'As Binance REST; the signature must be in lower-case letters.',
    'Percent-encoding with upper-case digits only, as here (a comma is %2C).',
    "The documentation's Example 1 prints 323c96ab… for the very text of Example 2: a slip of the documentation.",
    'Parameters split between query string and body are signed one behind the other without "&" between them.',
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
