import type { VenuePreset } from './venue-preset.ts';

/** ApeX Omni and Pro, REST. */
export const APEX: VenuePreset = {
  name: 'apex',
  venue: 'ApeX Omni and Pro, REST',
  docs: 'https://api-docs.pro.apex.exchange/#introduction-apikey-signature',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{METHOD}{path}{?query}{body}',
      timestamp: 'ms',
      query: { encode: 'none' },
      body: 'form-sorted-unencoded',
    },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'base64-text',
  },
  keyFile: 'the API secret, exactly as ApeX shows it',
  notes: [
    'The HMAC key is the base64 form of the secret, as text.',
    'The header APEX-TIMESTAMP must be the signed timestamp, in milliseconds.',
    'The path is signed with its prefix, /api, and its query in the order sent; a body is a form, signed sorted by name. Both are signed before percent-encoding: payloadParts.query and payloadParts.body are the decoded texts. Percent-encode their values when sending.',
    'Omit parameters without a value: the official client does not sign them.',
    'Orders also contain a signature by the zkLink key (Omni) or the Stark key (Pro), in the member signature of the body. This service does not make it.',
    'APEX-PASSPHRASE is sent unchanged and is not signed: callers keep it and send it.',
    'Nothing delimits path and form, so policies can read no field.',
  ],
  example: {
    source: 'https://api-docs.pro.apex.exchange/#introduction-apikey-signature',
    isComputed: true,
    key: { text: 'my-secret' },
    data: { timestamp: 1700000000000, method: 'GET', path: '/api/v3/fills', query: { symbol: 'BTC-USDT', limit: 100 } },
    payload: '1700000000000GET/api/v3/fills?symbol=BTC-USDT&limit=100',
    signature: 'cMo6hMeIGTRqR0cL/UkkcdHXdbhshUv+ZX82iCn9Bus=',
  },
};
