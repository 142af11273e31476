import type { VenuePreset } from './venue-preset.ts';

/** Bitget API v2, REST, HMAC keys. */
export const BITGET: VenuePreset = {
  name: 'bitget',
  venue: 'Bitget API v2, REST, HMAC keys',
  docs: 'https://www.bitget.com/api-doc/common/signature',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{METHOD}{path}{?query}{body}',
      timestamp: 'ms',
      query: { sort: true, encode: 'none' },
    },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'utf8',
    rules: { login: { rule: 'prehash', template: '{timestamp}GET/user/verify', timestamp: 's' } },
  },
  rules: {
    login: {
      venue: 'Bitget API v2, login of a WebSocket, HMAC keys',
      docs: 'https://www.bitget.com/api-doc/common/websocket-intro#login',
      notes: ['timestamp is in seconds; the login message must contain the signed timestamp.'],
      example: {
        source: 'https://www.bitget.com/api-doc/common/websocket-intro#login',
        isComputed: true,
        key: { text: 'my-secret' },
        data: { timestamp: 1538054050 },
        payload: '1538054050GET/user/verify',
        signature: 'fvTZr+Ty8cYOnOYl2bGj91kh5Gt1YYZc67maKhYhWGY=',
      },
    },
  },
  keyFile: 'the API secret, exactly as Bitget shows it',
  notes: [
    "The header ACCESS-TIMESTAMP must be the signed timestamp, in milliseconds. (The 14 digits in the documentation's example are an error.)",
    'The query string is signed with its "?" before percent-encoding: Bitget rejects signatures of the encoded text (ccxt issue 28888), and its own clients sign the decoded text. Percent-encode names and values when sending; payloadParts.query is the decoded text. A query given as text must be decoded, and a path with a query is rejected.',
    "Parameters are sorted by name here, as in Bitget's example and its clients; the documentation requires no order. Send them in the signed order.",
    'The passphrase is sent unchanged in ACCESS-PASSPHRASE and is not signed.',
    'Bitget documents texts to sign, but neither their secret nor a signature.',
  ],
  example: {
    source:
      'https://github.com/erfurter90/Scalable/blob/c34f7fceb2bf8500c6fcfe679c4b827584a342fd/backend/tests/test_providers/test_bitget_provider.py',
    key: { text: 'my-test-secret' },
    data: {
      timestamp: '1700000000000',
      method: 'GET',
      path: '/api/v2/spot/account/assets',
      query: { limit: '100', coin: 'BTC' },
    },
    payload: '1700000000000GET/api/v2/spot/account/assets?coin=BTC&limit=100',
    signature: '18CCzUyDbp9XD4njS8UG6nSODhxSfiNEGxreoeS4JKY=',
  },
};
