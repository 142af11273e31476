import type { VenuePreset } from './venue-preset.ts';

/** BitMEX REST. */
export const BITMEX: VenuePreset = {
  name: 'bitmex',
  venue: 'BitMEX REST',
  docs: 'https://www.bitmex.com/app/apiKeysUsage',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{METHOD}{path}{?query}{data.expires}{body}',
      body: 'json-or-form',
    },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as BitMEX shows it',
  notes: [
    'expires is a Unix time in seconds in the future, not the present time, and must equal the api-expires header.',
    'The path is signed with /api/v1 and with its query exactly as sent. The published example encodes a space as "+"; a query given as an object encodes it as "%20". Send the signed text.',
    'Send the body byte for byte as signed. JSON.parse does not preserve 219.0 of the published order, so give such a body as text. A body may also be a percent-encoded form, as text.',
    'For a WebSocket, sign method GET and path /realtime with the same template.',
  ],
  example: {
    source: 'https://www.bitmex.com/app/apiKeysUsage',
    key: { text: 'chNOOS4KvNXR_Xq4k4c9qsfoKWvnDecLATCRlcBwyKDYnWgO' },
    data: { method: 'GET', path: '/api/v1/instrument', expires: 1518064236 },
    payload: 'GET/api/v1/instrument1518064236',
    signature: 'c7682d435d0cfe87c16098df34ef2eb5a549d4c5a3c2b1f0f77b8af73423bf00',
  },
};
