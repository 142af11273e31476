import type { VenuePreset } from './venue-preset.ts';

/** Gate APIv4 REST. */
export const GATE: VenuePreset = {
  name: 'gate',
  venue: 'Gate APIv4 REST',
  docs: 'https://www.gate.com/docs/developers/apiv4/en/',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{METHOD}\n{path}\n{query}\n{body}\n{timestamp}',
      timestamp: 's',
      query: { encode: 'none' },
      bodyHash: 'sha512',
    },
    algorithms: ['hmac-sha512'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Gate shows it',
  notes: [
    'The path is signed with its prefix, /api/v4.',
    'The query is signed before URL encoding, in the order of the request. A query given as text must therefore be decoded.',
    'The body is signed as the lowercase hex of its SHA-512; without a body, the hash of the empty text is signed.',
    'timestamp is in seconds and must equal the Timestamp header; Gate allows a difference of about 60 seconds.',
    'The secret looks like hex, but is used as text and not decoded.',
  ],
  example: {
    source: 'https://www.gate.com/docs/developers/apiv4/en/',
    key: { text: 'secret' },
    data: {
      method: 'GET',
      path: '/api/v4/futures/orders',
      query: { contract: 'BTC_USD', status: 'finished', limit: 50 },
      timestamp: 1541993715,
    },
    payload:
      'GET\n/api/v4/futures/orders\ncontract=BTC_USD&status=finished&limit=50\ncf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e\n1541993715',
    signature:
      '55f84ea195d6fe57ce62464daaa7c3c02fa9d1dde954e4c898289c9a2407a3d6fb3faf24deff16790d726b66ac9f74526668b13bd01029199cc4fcc522418b8a',
  },
};
