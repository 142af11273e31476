import type { VenuePreset } from './venue-preset.ts';

/** Coinbase Exchange REST. */
export const COINBASE_EXCHANGE: VenuePreset = {
  name: 'coinbase-exchange',
  venue: 'Coinbase Exchange REST and the login of its WebSocket, HMAC keys',
  docs: 'https://docs.cdp.coinbase.com/exchange/rest-api/authentication',
  platform: {
    format: 'any',
    payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 's' },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'base64',
  },
  keyFile: 'the API secret, exactly as Coinbase shows it (base64)',
  notes: [
    'The header CB-ACCESS-TIMESTAMP must be the signed timestamp, in seconds; the venue accepts a difference of 30 seconds.',
    'The path is signed with its query. Send path and body byte for byte as signed.',
    'CB-ACCESS-PASSPHRASE is the passphrase that was chosen for the API key, unchanged. It is not signed: callers keep it and send it.',
    'The login of the WebSocket signs method GET, path /users/self/verify and no body.',
    'Coinbase International and Derivatives sign the path without its query: for them, use their own documentation.',
    'The documentation has code for signing, but no signature.',
  ],
  example: {
    source: 'https://docs.cdp.coinbase.com/exchange/rest-api/authentication',
    isComputed: true,
    key: { text: 'bXktc2VjcmV0LW15LXNlY3JldA==' },
    data: {
      timestamp: 1700000000,
      method: 'POST',
      path: '/orders',
      body: { price: '1.0', size: '1.0', side: 'buy', product_id: 'BTC-USD' },
    },
    payload: '1700000000POST/orders{"price":"1.0","size":"1.0","side":"buy","product_id":"BTC-USD"}',
    signature: 'tXyzDfv2bTdUgPRZ9gz0+03NV9Swk2csqNEuFZ4tVlA=',
  },
};
