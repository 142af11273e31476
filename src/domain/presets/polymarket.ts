import type { VenuePreset } from './venue-preset.ts';

/** Polymarket CLOB, L2 headers. */
export const POLYMARKET: VenuePreset = {
  name: 'polymarket',
  venue: 'Polymarket CLOB, L2 headers',
  docs: 'https://docs.polymarket.com/developers/CLOB/authentication',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{METHOD}{path}{body}',
      timestamp: 's',
      path: { query: 'none' },
    },
    algorithms: ['hmac-sha256'],
    encoding: 'base64url-padded',
    secretDecoding: 'base64url',
  },
  keyFile: 'the secret of the API key, exactly as Polymarket shows it (base64url)',
  notes: [
    'The secret is base64url; the HMAC key is the decoded bytes. The signature is base64url with padding.',
    'timestamp is in seconds and must equal the header POLY_TIMESTAMP.',
    'The path has no query string: Polymarket does not sign it. A path with one is rejected.',
    'Send the body byte for byte as signed. Older versions of the Python client write JSON with spaces after colons and commas: give such a body as text.',
    'The L1 headers and each order are EIP-712 messages of the wallet, for which you add another platform with the rule typed-data.',
  ],
  example: {
    source: 'https://docs.polymarket.com/developers/CLOB/authentication',
    isComputed: true,
    key: { text: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    data: { timestamp: 1700000000, method: 'POST', path: '/order', body: '{"hash": "0x123"}' },
    payload: '1700000000POST/order{"hash": "0x123"}',
    signature: 'h66mweEqQTMpD3OiiyOT0TG6OKHcJOBsZdrxP85MSDg=',
  },
};
