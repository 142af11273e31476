import type { VenuePreset } from './venue-preset.ts';

/** WOO X REST v3. */
export const WOO: VenuePreset = {
  name: 'woo',
  venue: 'WOO X REST v3',
  docs: 'https://developer.woox.io/api-reference/guide',
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
  keyFile: 'the API secret, exactly as WOO X shows it',
  notes: [
    'For /v3 paths only; /v1 paths are signed differently (woo-v1).',
    'The path includes the version and the query; a GET or DELETE has its parameters there.',
    'timestamp is in milliseconds and must equal the x-api-timestamp header.',
    'The published POST text has spaces after ":" and ",", as written by Python\'s json.dumps. Any form is valid if the body is sent as signed. Send Content-Type application/json.',
  ],
  example: {
    source:
      'https://github.com/zhuco/rustcta/blob/bbf160a34eae493c968cd2914611f647e74c9b13/tests/fixtures/exchanges/woo/signing_vectors/rest_hmac_sha256.json',
    key: { text: 'QHKRXHPAW1MC9YGZMAT8YDJG2HPR' },
    data: { method: 'GET', path: '/v3/algo/orders', query: { algoType: 'STOP' }, timestamp: 1578565539808 },
    payload: '1578565539808GET/v3/algo/orders?algoType=STOP',
    signature: 'fddab579aff8c193f920c2d4f0cda6a21a60f06fd9c3916541ecc4f6461f5977',
  },
};

/** WOO X REST v1. */
export const WOO_V1: VenuePreset = {
  name: 'woo-v1',
  venue: 'WOO X REST v1',
  docs: 'https://docs.woox.io/#authentication',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params', sort: true, suffix: '|{timestamp}', timestamp: 'ms' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as WOO X shows it',
  notes: [
    'For /v1 paths only; /v3 paths are signed differently (woo).',
    'Neither method nor path is signed. The parameters of query and body together are sorted by name, joined with "&", and followed by "|" and the timestamp.',
    'timestamp is in milliseconds (13 digits) and must equal the x-api-timestamp header.',
    'The request itself is application/x-www-form-urlencoded.',
  ],
  example: {
    source: 'https://support.woox.io/hc/en-001/articles/4410291392409--Why-do-I-keep-receiving-the-error-code-1002',
    key: { text: 'QHKRXHPAW1MC9YGZMAT8YDJG2HPR' },
    data: {
      params: { symbol: 'SPOT_BTC_USDT', order_type: 'LIMIT', order_price: 9000, order_quantity: '0.11', side: 'BUY' },
      timestamp: '1578565539808',
    },
    payload: 'order_price=9000&order_quantity=0.11&order_type=LIMIT&side=BUY&symbol=SPOT_BTC_USDT|1578565539808',
    signature: '20da0852f73b20da0208c7e627975a59ff072379883d8457d03104651032033d',
  },
};
