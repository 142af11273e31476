import type { VenuePreset } from './venue-preset.ts';

const DOCS = 'https://apidocs.bithumb.com/docs/인증-헤더-만들기';

/** Bithumb REST and WebSocket, API 2.0. */
export const BITHUMB: VenuePreset = {
  name: 'bithumb',
  venue: 'Bithumb REST and WebSocket, API 2.0',
  docs: DOCS,
  platform: {
    format: 'any',
    payload: {
      rule: 'jwt',
      claims: { access_key: '{account.accessKey}', nonce: '{data.nonce}', timestamp: { time: 'ms' } },
      queryHash: {},
    },
    algorithms: ['hmac-sha256'],
    encoding: 'base64url',
    secretDecoding: 'utf8',
  },
  keyFile: 'the secret key, exactly as Bithumb shows it',
  values: { accessKey: 'the API key' },
  notes: [
    'The signature is the whole token. Send it as Authorization: Bearer TOKEN.',
    'timestamp is the current time in milliseconds, nonce a new random UUID for each token.',
    'params are the parameters of the query string, or all members of the JSON body, in the order sent. Bithumb hashes the percent-encoded query: send payloadParts.query as the query string.',
    'Parameters with several values are arrays; their names end with [], which is not encoded, such as uuids[].',
    "Avoid spaces in values: Bithumb's examples encode them as + or as %20.",
    'The token names neither method nor path: it is valid for any request with the same parameters.',
  ],
  example: {
    source: DOCS,
    isComputed: true,
    key: { text: 'my-secret' },
    values: { accessKey: 'L7rVaYfBIc2BDsnlQGfkR93d6DoOAJCw7mJr5Eso' },
    data: {
      nonce: '6f5570df-d8bc-4daf-85b4-976733feb624',
      timestamp: 1712230310689,
      params: { currency: 'BTC', net_type: 'BTC' },
    },
    payload:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhY2Nlc3Nfa2V5IjoiTDdyVmFZZkJJYzJCRHNubFFHZmtSOTNkNkRvT0FKQ3c3bUpyNUVzbyIsIm5vbmNlIjoiNmY1NTcwZGYtZDhiYy00ZGFmLTg1YjQtOTc2NzMzZmViNjI0IiwidGltZXN0YW1wIjoxNzEyMjMwMzEwNjg5LCJxdWVyeV9oYXNoIjoiMWMyMzYyY2E5ZDc5OTQ3NTgyY2FlMTkyYWNmNjNlZmI4NzU2Y2FhNDlhZjFlYjY0YjEyYmE0NTYxNzE2NTQzMWEzZGQzZTQ3ZDA0NzZiYzJhMzQ3YjdhMWVhNTEyZGI3ZjMxNmY1NjE0NDA4NGIxNDkzMTY2ZTNjOTExM2E4ZWIiLCJxdWVyeV9oYXNoX2FsZyI6IlNIQTUxMiJ9',
    signature:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhY2Nlc3Nfa2V5IjoiTDdyVmFZZkJJYzJCRHNubFFHZmtSOTNkNkRvT0FKQ3c3bUpyNUVzbyIsIm5vbmNlIjoiNmY1NTcwZGYtZDhiYy00ZGFmLTg1YjQtOTc2NzMzZmViNjI0IiwidGltZXN0YW1wIjoxNzEyMjMwMzEwNjg5LCJxdWVyeV9oYXNoIjoiMWMyMzYyY2E5ZDc5OTQ3NTgyY2FlMTkyYWNmNjNlZmI4NzU2Y2FhNDlhZjFlYjY0YjEyYmE0NTYxNzE2NTQzMWEzZGQzZTQ3ZDA0NzZiYzJhMzQ3YjdhMWVhNTEyZGI3ZjMxNmY1NjE0NDA4NGIxNDkzMTY2ZTNjOTExM2E4ZWIiLCJxdWVyeV9oYXNoX2FsZyI6IlNIQTUxMiJ9.VKcejq0XIeu3j75jz3Ex6TBRjDNUUSHwnEHdRgdUv1g',
  },
};
