import type { VenuePreset } from './venue-preset.ts';

/** Bitvavo REST. */
export const BITVAVO: VenuePreset = {
  name: 'bitvavo',
  venue: 'Bitvavo REST',
  docs: 'https://docs.bitvavo.com/docs/rest-api/introduction/',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{METHOD}{path}{?query}{body}',
      timestamp: 'ms',
    },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Bitvavo shows it',
  notes: [
    'The path is signed with its prefix /v2 and its query.',
    'timestamp is in milliseconds and must equal the Bitvavo-Access-Timestamp header.',
    'The signature is hex for REST and WebSocket. The page on WS Market Data Pro and an older page on authentication show example signatures that are not the HMAC of their own example.',
  ],
  example: {
    source: 'https://docs.bitvavo.com/docs/rest-api/introduction/',
    key: { text: 'bitvavo' },
    data: {
      method: 'POST',
      path: '/v2/order',
      timestamp: 1548172481125,
      body: { market: 'BTC-EUR', side: 'buy', price: '5000', amount: '1.23', orderType: 'limit' },
    },
    payload:
      '1548172481125POST/v2/order{"market":"BTC-EUR","side":"buy","price":"5000","amount":"1.23","orderType":"limit"}',
    signature: '44d022723a20973a18f7ee97398b9fdd405d2d019c8d39e24b8cc0dcb39ca016',
  },
};
