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
    rules: {
      rest: {
        rule: 'prehash',
        template: '{timestamp}\n{data.nonce}\n{METHOD}\n{path}{?query}\n{body}\n',
        timestamp: 'ms',
      },
    },
  },
  rules: {
    rest: {
      venue: 'Deribit REST with the header deri-hmac-sha256',
      docs: 'https://docs.deribit.com/articles/authentication',
      notes: [
        'The header is Authorization: deri-hmac-sha256 id=CLIENT_ID,ts=TIMESTAMP,sig=SIGNATURE,nonce=NONCE, with the signed timestamp and nonce.',
        'The path is signed with its prefix /api/v2 and its query, percent-encoded as sent. Without a body, an empty line is signed.',
        'The documentation publishes no signature of this text with its key.',
      ],
      example: {
        source: 'https://docs.deribit.com/articles/authentication',
        isComputed: true,
        key: { text: 'my-secret' },
        data: {
          timestamp: 1700000000000,
          nonce: '1700000000000',
          method: 'GET',
          path: '/api/v2/private/buy',
          query: { instrument_name: 'BTC-PERPETUAL', amount: 10, type: 'limit', price: 30000 },
        },
        payload:
          '1700000000000\n1700000000000\nGET\n/api/v2/private/buy?instrument_name=BTC-PERPETUAL&amount=10&type=limit&price=30000\n\n',
        signature: 'eca2bcbce98bf3e3061c886260e73b58101ff89360f86962df5018e5a067ac4c',
      },
    },
  },
  keyFile: 'the client secret, exactly as Deribit shows it',
  notes: [
    'This is the text of grant type client_signature of public/auth. It contains both line feeds even if data is empty.',
    'HTTP requests with the header deri-hmac-sha256 sign another text: see rule rest.',
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
