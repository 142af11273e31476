import type { VenuePreset } from './venue-preset.ts';

/** Deribit public/auth with client_signature. */
export const DERIBIT: VenuePreset = {
  name: 'deribit',
  venue: 'Deribit public/auth with client_signature',
  docs: 'https://docs.deribit.com/articles/authentication',
  platform: {
    format: 'any',
    payload: { rule: 'prehash', template: '{timestamp}\n{data.nonce}\n{data.data}', timestamp: 'ms' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the client secret, exactly as Deribit shows it',
  notes: [
    'This is the text of grant type client_signature of public/auth. It contains both line feeds even if data is empty.',
    'HTTP requests with the header deri-hmac-sha256 sign another text: timestamp, nonce, METHOD, path with query, and body, each followed by a line feed. There is no preset for it, because no signature with its key is published.',
    'timestamp is in milliseconds and valid for 60 seconds; use each nonce only once.',
  ],
  example: {
    source: 'https://docs.deribit.com/articles/authentication',
    key: { text: 'AMANDASECRECT' },
    data: { timestamp: 1576074319000, nonce: '1iqt2wls', data: '' },
    payload: '1576074319000\n1iqt2wls\n',
    signature: '56590594f97921b09b18f166befe0d1319b198bbcdad7ca73382de2f88fe9aa1',
  },
};
