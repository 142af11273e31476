import type { VenuePreset } from './venue-preset.ts';

/** MEXC spot API v3. */
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
  },
  keyFile: 'the API secret, exactly as MEXC shows it',
  notes: [
    'As Binance REST; the signature must be in lower-case letters.',
    'Percent-encoding with upper-case digits only, as here (a comma is %2C).',
    'The futures API signs another text: accessKey + timestamp + parameters (sorted query, or JSON body), sent in headers.',
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
