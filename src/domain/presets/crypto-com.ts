import type { VenuePreset } from './venue-preset.ts';

/** Crypto.com Exchange API v1. */
export const CRYPTO_COM: VenuePreset = {
  name: 'crypto-com',
  venue: 'Crypto.com Exchange API v1, REST and WebSocket',
  docs: 'https://exchange-docs.crypto.com/exchange/v1/rest-ws/index.html#digital-signature',
  platform: {
    format: 'any',
    payload: { rule: 'concat-sorted' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Crypto.com shows it',
  values: { apiKey: 'the API key, as sent in api_key' },
  notes: [
    'data is the request without api_key and sig; add both before sending. id, params and nonce must be those that were signed.',
    'nonce is the time in milliseconds; the venue accepts a difference of 60 seconds.',
    'Send numbers as strings, as the venue requires: "0.5", not 0.5. Fractions are rejected.',
    'Omit unused parameters. A null is signed as the text null.',
    "The venue's samples in Python and JavaScript agree on strings, null and arrays of objects. What they render differently is rejected: an object outside an array, arrays in arrays, null in arrays, and objects in three arrays.",
    'Nothing delimits names and values, so policies can read the method and the nonce, but no parameter. A client_oid of a caller can therefore continue as other parameters: allow only trusted callers.',
    'public/auth of the WebSocket is signed the same way, without params.',
    'The documentation has code for signing, but no signature.',
  ],
  example: {
    source: 'https://exchange-docs.crypto.com/exchange/v1/rest-ws/index.html#digital-signature',
    isComputed: true,
    key: { text: 'my-secret' },
    values: { apiKey: 'my-key' },
    data: {
      id: 11,
      method: 'private/get-order-detail',
      params: { order_id: '53287421324' },
      nonce: 1587846358253,
    },
    payload: 'private/get-order-detail11my-keyorder_id532874213241587846358253',
    signature: '1878387fac306827138bf9393a30992c31594d220762a8810189f9f1e3162b1b',
  },
};
