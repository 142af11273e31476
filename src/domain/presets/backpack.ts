import type { VenuePreset } from './venue-preset.ts';

/** Backpack Exchange. */
export const BACKPACK: VenuePreset = {
  name: 'backpack',
  venue: 'Backpack Exchange',
  docs: 'https://docs.backpack.exchange/#section/Authentication/Signing-requests',
  platform: { format: 'any', payload: { rule: 'backpack' }, algorithms: ['ed25519'], encoding: 'base64' },
  keyFile: 'the secret, exactly as Backpack shows it: base64 of the 32-byte seed',
  keyFormat: 'base64',
  notes: [
    'The documentation of each endpoint names its instruction (orderExecute, orderCancel, balanceQuery …); Backpack rejects a wrong one.',
    'Parameters are sorted by name and not URL-encoded, whether they are sent in the query or in a JSON body.',
    'timestamp and window (at most 60000) are in milliseconds and must equal the headers X-Timestamp and X-Window.',
    'A batch of orders repeats the instruction before each order.',
    'The secret is base64 of the 32-byte seed; X-API-Key is base64 of the public key.',
  ],
  example: {
    source:
      'https://github.com/zhuco/rustcta/blob/bbf160a34eae493c968cd2914611f647e74c9b13/tests/fixtures/exchanges/backpack/signing_vectors/order_cancel_ed25519.json',
    key: { hex: '0707070707070707070707070707070707070707070707070707070707070707' },
    data: {
      instruction: 'orderCancel',
      params: { symbol: 'BTC_USDT', orderId: 28 },
      timestamp: 1614550000000,
      window: 5000,
    },
    payload: 'instruction=orderCancel&orderId=28&symbol=BTC_USDT&timestamp=1614550000000&window=5000',
    signature: 'XhRUJtSVD+f0huHv3X/VpfNefAt+d3Weyzh+CV1njJwdFtlQ04RQ8dv+DYLZKQq7xJ1RB2k/KINvh7EuMwXqDQ==',
  },
};
