import type { VenuePreset } from './venue-preset.ts';

/** Gemini REST. */
export const GEMINI: VenuePreset = {
  name: 'gemini',
  venue: 'Gemini REST',
  docs: 'https://developer.gemini.com/authentication/api-key',
  platform: {
    format: 'any',
    payload: { rule: 'json', field: 'payload', encode: 'base64' },
    algorithms: ['hmac-sha384'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Gemini shows it',
  notes: [
    'payload is the JSON object of the request, with request (the path, such as /v1/order/new) and nonce. Its base64 text is signed and sent in the header X-GEMINI-PAYLOAD: the payload of the response.',
    'The HTTP body is empty; method and query string are not signed.',
    'The nonce is a number or its text and must increase with each request of the API key. A time-based nonce is in seconds and within 30 seconds of the current time.',
    'The WebSocket order events take the same headers, with request /v1/order/events.',
    'A payload given as text is encoded as sent, with its whitespace.',
  ],
  example: {
    source: 'https://github.com/vansergen/gemini-node-api/blob/master/test/signer.spec.ts',
    key: { text: '1234abcd' },
    data: { payload: { request: '/v1/order/status', nonce: 123456, order_id: 18834 } },
    payload: 'eyJyZXF1ZXN0IjoiL3YxL29yZGVyL3N0YXR1cyIsIm5vbmNlIjoxMjM0NTYsIm9yZGVyX2lkIjoxODgzNH0=',
    signature: '51f2d46b8d13add5414bb73d72c1e1e1d3e1f6f8ed411960d860510df3219d0ed3514578d14f18cd1340109bf0c0385b',
  },
};
