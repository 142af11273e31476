import type { VenuePreset } from './venue-preset.ts';

/** OKX API v5. */
export const OKX: VenuePreset = {
  name: 'okx',
  venue: 'OKX API v5, REST',
  docs: 'https://www.okx.com/docs-v5/en/#overview-rest-authentication-signature',
  platform: {
    format: 'any',
    payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'iso' },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'utf8',
    rules: { login: { rule: 'prehash', template: '{timestamp}GET/users/self/verify', timestamp: 's' } },
  },
  rules: {
    login: {
      venue: 'OKX API v5, login of a WebSocket',
      docs: 'https://www.okx.com/docs-v5/en/#overview-websocket-login',
      notes: [
        'timestamp is in seconds; the login message must contain the signed timestamp.',
        "OKX's documentation shows a login message, but not the secret for its sign.",
      ],
      example: {
        source: 'https://www.okx.com/docs-v5/en/#overview-websocket-login',
        isComputed: true,
        key: { text: '22582BD0CFF14C41EDBF1AB98506286D' },
        data: { timestamp: 1538054050 },
        payload: '1538054050GET/users/self/verify',
        signature: '+LdIr8lkkvhr5hoA3g9TMC0+uQJ849ftAcocA/ouu4M=',
      },
    },
  },
  keyFile: 'the API secret, exactly as OKX shows it',
  notes: [
    'The header OK-ACCESS-TIMESTAMP must be the signed timestamp: ISO 8601 UTC with milliseconds.',
    'The query string is part of the path and is signed with its "?"; a GET has no body.',
    'A query is signed percent-encoded, as sent; so do ccxt and OKX.Net. OKX\'s own client in Python signs it before percent-encoding, which is the same for letters, digits, "-", "_" and ".".',
    'Send the body byte for byte as signed. A body may be an array (batch orders).',
    'The passphrase is sent unchanged in OK-ACCESS-PASSPHRASE and is not signed. It belongs to the callers, with the API key: this service does not need it, and a fixed value of the account would be in clear in the credentials file. Demo trading uses an additional header, x-simulated-trading, which is not signed.',
    'OKX documents a sample secret, timestamp and request, but no signature.',
  ],
  example: {
    source: 'https://github.com/chjgfg/phandas_rs/blob/a9bdd888586716d2dbc3ab40f8e66d4f1de08b80/tests/test_trader.rs',
    key: { text: '22582BD0CFF14C41EDBF1AB98506286D' },
    data: {
      timestamp: '2020-12-08T09:08:57.715Z',
      method: 'GET',
      path: '/api/v5/account/balance',
      query: { ccy: 'BTC' },
    },
    payload: '2020-12-08T09:08:57.715ZGET/api/v5/account/balance?ccy=BTC',
    signature: 'HiZhvSfMtWJA3uUIVXV3a/bSXNPCWvYFXoGCVS8V4zY=',
  },
};
