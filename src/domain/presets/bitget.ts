import { RFC_9500_KEY } from './published-rsa-keys.ts';
import type { VenuePreset } from './venue-preset.ts';

/** Requests. */
const REQUEST = {
  rule: 'prehash',
  template: '{timestamp}{METHOD}{path}{?query}{body}',
  timestamp: 'ms',
  query: { sort: true, encode: 'none' },
} as const;

/** Login of a WebSocket. */
const LOGIN = { rule: 'prehash', template: '{timestamp}GET/user/verify', timestamp: 's' } as const;

/** Bitget API v2, REST, HMAC keys. */
export const BITGET: VenuePreset = {
  name: 'bitget',
  venue: 'Bitget API v2, REST, HMAC keys',
  docs: 'https://www.bitget.com/api-doc/common/signature',
  platform: {
    format: 'any',
    payload: REQUEST,
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'utf8',
    rules: { login: LOGIN },
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

/** {@link BITGET} with RSA keys. */
export const BITGET_RSA: VenuePreset = {
  name: 'bitget-rsa',
  venue: 'Bitget API v2, REST, RSA keys',
  docs: 'https://www.bitget.com/api-doc/common/signature',
  platform: {
    format: 'any',
    payload: REQUEST,
    algorithms: ['rsa-sha256'],
    encoding: 'base64',
    rules: { login: LOGIN },
  },
  rules: {
    login: {
      venue: 'Bitget API v2, login of a WebSocket, RSA keys',
      docs: 'https://www.bitget.com/api-doc/common/websocket-intro#login',
      notes: ['timestamp is in seconds; the login message must contain the signed timestamp.'],
      example: {
        source: 'https://www.bitget.com/api-doc/common/websocket-intro#login',
        isComputed: true,
        key: { pem: RFC_9500_KEY },
        data: { timestamp: 1538054050 },
        payload: '1538054050GET/user/verify',
        signature:
          'lSNXr0m7HweTdnrVdmKnKkvMNfX5m7P+Mm7l9PpjVV6JeyMSpL07Y4aO9KyYXXOtNPaqJsYUMrOhsyqYyOzXMJgXluHfMNxw2ST7gAF7IqRPz93w0qqOaa1jbbkleAkSfWmB+i4jJila6zBb7ZGEToPk/0v2nJNmMuDcWpgINnJ9aUr2ypj+iJ7Yi/rJ2bHbHAQIxylCZlT4lQHo74KiLXAT7J3ErfJFdF0o5C0M1bPGaGqLE/dsE4A2LtL8nlH4qxjztk8dE2XdEd0Sy8rc6e9nH8l5SzSbduecDSAgBcMdoDzpHT6Y91hPwQTWfcIsc6FP806i+64iqgb9GnvEJQ==',
      },
    },
  },
  keyFile: 'the private key as PEM (PKCS#8 or RSA PRIVATE KEY) whose public key was registered with Bitget',
  notes: [
    'The signed text is the same as for HMAC keys: see the notes of the preset bitget.',
    'The header ACCESS-TIMESTAMP must be the signed timestamp, in milliseconds.',
    'The query string is signed with its "?" before percent-encoding, sorted by name. Percent-encode names and values when sending, in the signed order; payloadParts.query is the decoded text.',
    'The passphrase is sent unchanged in ACCESS-PASSPHRASE and is not signed.',
  ],
  example: {
    source: 'https://www.bitget.com/api-doc/common/signature',
    isComputed: true,
    key: { pem: RFC_9500_KEY },
    data: {
      timestamp: '1700000000000',
      method: 'GET',
      path: '/api/v2/spot/account/assets',
      query: { limit: '100', coin: 'BTC' },
    },
    payload: '1700000000000GET/api/v2/spot/account/assets?coin=BTC&limit=100',
    signature:
      'MDG927cvCueFbLhZwqH1RUym9NnP73fQ/AW85o2EyAbF/+gIUG5FYPndmfYGdl4zimn3sMJYo17NrTjRtUJ9bimXaOZx3Nv9+DfXl6RttLmpRQZhS9Pq5Ymu+3hrMlDfAhhUC6S9SBx6fOaPiXZVfqqXsp7QlLXgrZJCiu2NljhNZc1X58AjSlnDOO7PBav72KvyaC+v86UvkFhdsD44X4LDnL22okw5l4UOg4uW2MGM/4qUsmpzKrbwtWwrUig4S6o1IkZjDCHFVEoribxfRN0qIhIr2KcNenmCvZHr3sa1+EBWVEb26cjs08kE0plTXv0p8LbHe6bEAqgR67CxEQ==',
  },
};
