import type { VenuePreset } from './venue-preset.ts';

const DOCS = 'https://docs.upbit.com/kr/reference/auth';

/** Upbit REST and WebSocket. */
export const UPBIT: VenuePreset = {
  name: 'upbit',
  venue: 'Upbit REST and WebSocket',
  docs: DOCS,
  platform: {
    format: 'any',
    payload: {
      rule: 'jwt',
      claims: { access_key: '{account.accessKey}', nonce: '{data.nonce}' },
      queryHash: { encode: 'none' },
    },
    algorithms: ['hmac-sha512'],
    encoding: 'base64url',
    secretDecoding: 'utf8',
  },
  keyFile: 'the secret key, exactly as Upbit shows it',
  values: { accessKey: 'the access key' },
  notes: [
    'The signature is the whole token. Send it as Authorization: Bearer TOKEN, also to open the WebSocket.',
    'nonce is a new random UUID for each token.',
    'params are the parameters of the query string, or all members of the JSON body, in the order sent. Upbit hashes the query before percent-encoding: payloadParts.query is that text. Percent-encode names and values when sending, in the same order.',
    'Parameters with several values are arrays; their names end with [], such as states[].',
    "Avoid spaces in values: Upbit's examples hash them as +.",
    'The token names neither method nor path, and has no time: it is valid for any request with the same parameters. Upbit recommends HS512; its documentation asks only that alg names the algorithm that was used.',
  ],
  example: {
    source: DOCS,
    isComputed: true,
    key: { text: 'YOUR_SECRET_KEY' },
    values: { accessKey: 'a7Xd92LmQW3vBtRzYpMj5CxNKeT1HuVs0fFgJcAw' },
    data: {
      nonce: 'b2f1e3f8-2dc1-4d6f-a838-c74c49b0e39a',
      params: { market: 'KRW-BTC', 'states[]': ['wait', 'watch'], limit: 10 },
    },
    payload:
      'eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJhY2Nlc3Nfa2V5IjoiYTdYZDkyTG1RVzN2QnRSellwTWo1Q3hOS2VUMUh1VnMwZkZnSmNBdyIsIm5vbmNlIjoiYjJmMWUzZjgtMmRjMS00ZDZmLWE4MzgtYzc0YzQ5YjBlMzlhIiwicXVlcnlfaGFzaCI6ImUzY2ZjNjQ5MTM5YzU5NWUxYzI2YThhYTJiM2M4NTA0ZjRiMTUwMTFmYzJiODE5MDgxNDUxZTVlODQ1MTcyYmQ1ZGJiYjUxMTBlYzVkN2EzZDFkMzJmZjcxZjQ2YTc4MzIzYTA0MGU4YmVkZjg2NzIwMjFmZDIyMDYxOTBhM2E4IiwicXVlcnlfaGFzaF9hbGciOiJTSEE1MTIifQ',
    signature:
      'eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJhY2Nlc3Nfa2V5IjoiYTdYZDkyTG1RVzN2QnRSellwTWo1Q3hOS2VUMUh1VnMwZkZnSmNBdyIsIm5vbmNlIjoiYjJmMWUzZjgtMmRjMS00ZDZmLWE4MzgtYzc0YzQ5YjBlMzlhIiwicXVlcnlfaGFzaCI6ImUzY2ZjNjQ5MTM5YzU5NWUxYzI2YThhYTJiM2M4NTA0ZjRiMTUwMTFmYzJiODE5MDgxNDUxZTVlODQ1MTcyYmQ1ZGJiYjUxMTBlYzVkN2EzZDFkMzJmZjcxZjQ2YTc4MzIzYTA0MGU4YmVkZjg2NzIwMjFmZDIyMDYxOTBhM2E4IiwicXVlcnlfaGFzaF9hbGciOiJTSEE1MTIifQ.EqPm4Uywb3XsPzvU-yvCy3rGhbVGjkr5W26JS2Fp5NhyWqsGvJoSfiH-tUfJXixEgD9DSe3lZ771P5BljWzYOg',
  },
};
