import type { VenuePreset } from './venue-preset.ts';

/** Bitfinex API v2, REST. */
export const BITFINEX: VenuePreset = {
  name: 'bitfinex',
  venue: 'Bitfinex API v2, REST',
  docs: 'https://docs.bitfinex.com/docs/rest-auth',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '/api{path}{data.nonce}{body}',
      path: { start: '/v2/', query: 'none' },
    },
    algorithms: ['hmac-sha384'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { login: { rule: 'prehash', template: 'AUTH{data.nonce}' } },
  },
  rules: {
    login: {
      venue: 'Bitfinex API v2, authentication of a WebSocket',
      docs: 'https://docs.bitfinex.com/docs/ws-auth',
      notes: [
        'The auth event must contain the signed text as authPayload, the nonce as authNonce and the signature as authSig.',
      ],
      example: {
        source:
          'https://github.com/Marfusios/bitfinex-client-websocket/blob/4782ee29efdd06a128f2b8b822838a0506cdb8f3/test/Bitfinex.Client.Websocket.Tests/BitfinexAuthenticationTests.cs',
        key: { text: 'api_secret' },
        data: { nonce: 123456000 },
        payload: 'AUTH123456000',
        signature: 'cbe5ac2d70f8bb8246e31906d872408c29097df8c97a935ce367a93f57e47af51e033939a07cd5ecf1e078e7f7c9a344',
      },
    },
  },
  keyFile: 'the API secret, exactly as Bitfinex shows it',
  notes: [
    'The path starts with /v2, without host and query string; /api before it is signed, but not part of the URL.',
    'The nonce is sent in the header bfx-nonce and must increase with each request of the API key; Bitfinex uses microseconds.',
    'The signature is sent in bfx-signature, the API key in bfx-apikey; the key is not signed.',
    'Send the body byte for byte as signed. Without a body nothing is appended.',
    'The query string and the method are not signed; a path with a query is rejected.',
  ],
  example: {
    source: 'https://docs.bitfinex.com/docs/rest-auth',
    isComputed: true,
    key: { text: 'test_secret' },
    data: {
      path: '/v2/auth/w/order/submit',
      nonce: 1700000000000000,
      body: { type: 'EXCHANGE LIMIT', symbol: 'tBTCUSD', amount: '0.01', price: '25000' },
    },
    payload:
      '/api/v2/auth/w/order/submit1700000000000000{"type":"EXCHANGE LIMIT","symbol":"tBTCUSD","amount":"0.01","price":"25000"}',
    signature: '9ac17efdd848038cbc24262a76f0c2a47774a252f76718bf1a16c56ec2add6a82d146d1779a5a2d41ce85152bd9a88c6',
  },
};
