import type { VenuePreset } from './venue-preset.ts';

/** Kraken Derivatives (Futures) REST API v3. */
export const KRAKEN_FUTURES: VenuePreset = {
  name: 'kraken-futures',
  venue: 'Kraken Derivatives (Futures) REST API v3',
  docs: 'https://docs.kraken.com/exchange/guides/futures/rest',
  platform: {
    format: 'any',
    payload: { rule: 'kraken-futures' },
    algorithms: ['hmac-sha512'],
    encoding: 'base64',
    secretDecoding: 'base64',
  },
  keyFile: 'the private key, exactly as Kraken shows it (base64)',
  notes: [
    'The path is signed without /derivatives: /api/v3/sendorder, where the request goes to /derivatives/api/v3/sendorder.',
    'Since 2024-02-20 the venue hashes the parameters as sent, percent-encoded. Send payloadParts.query in the URL or payloadParts.body as the form, unchanged.',
    'batchorder has one parameter, json, with the orders as text.',
    'The signature is sent in the header Authent, the API key in APIKey.',
    'nonce is optional. If the header Nonce is sent, data.nonce must be its value; without the header, omit data.nonce. A nonce must increase; the venue tolerates disorder for a short time.',
    'Nothing delimits the parameters and the nonce. Policies can read params only without a nonce, and if the last parameter does not end with a digit, such as side=buy; otherwise only the path.',
    'The documentation shows a secret, which is not valid base64, and no Authent.',
  ],
  example: {
    source: 'https://docs.kraken.com/exchange/guides/futures/rest',
    isComputed: true,
    key: { text: 'bXktc2VjcmV0LW15LXNlY3JldA==' },
    data: { path: '/api/v3/orderbook', query: { symbol: 'fi_xbtusd_180615' }, nonce: '1415957147987' },
    payload: 'ae149fd1de6a706ef61f7a2b7efb52fe6d80790e6ab941bfcc7a8fef86ac91c3',
    payloadEncoding: 'hex',
    signature: '9F7EOcX4lGqGlnSzv+rZ8Jd/v6uKOPyoG8RN/th7t3UNp6zMccYcnA08AjrAgwLAxdD9mW3ZCoazOXnXj2w8Gg==',
  },
};
