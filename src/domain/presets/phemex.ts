import type { VenuePreset } from './venue-preset.ts';

/** Phemex REST. */
export const PHEMEX: VenuePreset = {
  name: 'phemex',
  venue: 'Phemex REST',
  docs: 'https://phemex-docs.github.io/',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{path}{query}{data.expiry}{body}',
    },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Phemex shows it',
  notes: [
    'The method is not signed, and there is no "?" between path and query.',
    'expiry is a Unix time in seconds in the future (now + 60) and must equal the x-phemex-request-expiry header.',
    'Orders can be placed by PUT with a query or by POST with a body; each is signed in its place.',
    "The secret is used as text, as Phemex's own Python and Node clients do (phemex/phemex-python-api phemex/client.py, phemex/phemex-node-example src/sign.js). Pages of phemex/phemex-api-docs describe the secret as base64url that must be decoded first, which neither client does.",
    'Phemex publishes texts to sign, but no key with a signature. The vectors come from a community test and follow the published form.',
  ],
  example: {
    source:
      'https://github.com/zhuco/rustcta/blob/bbf160a34eae493c968cd2914611f647e74c9b13/tests/fixtures/exchanges/phemex/signing_vectors/rest_query_order.json',
    key: { text: 'sample-secret' },
    data: {
      method: 'PUT',
      path: '/g-orders/create',
      query: { clOrdID: 'client-1', orderQtyRq: '0.001', side: 'Buy', symbol: 'BTCUSDT' },
      expiry: 1780837600,
    },
    payload: '/g-orders/createclOrdID=client-1&orderQtyRq=0.001&side=Buy&symbol=BTCUSDT1780837600',
    signature: '6f8651dd20012512cc70343d2e29835d2e7f6b2ed653aa17f462fc83072bbd23',
  },
};
