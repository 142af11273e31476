import type { VenuePreset } from './venue-preset.ts';

/** Gate APIv4 REST. */
export const GATE: VenuePreset = {
  name: 'gate',
  venue: 'Gate APIv4 REST',
  docs: 'https://www.gate.com/docs/developers/apiv4/en/',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{METHOD}\n{path}\n{query}\n{body}\n{timestamp}',
      timestamp: 's',
      query: { encode: 'none' },
      bodyHash: 'sha512',
    },
    algorithms: ['hmac-sha512'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: {
      websocket: {
        rule: 'prehash',
        template: 'channel={data.channel}&event={data.event}&time={timestamp}',
        timestamp: 's',
      },
      'websocket-api': { rule: 'prehash', template: 'api\n{data.channel}\n{body}\n{timestamp}', timestamp: 's' },
    },
  },
  rules: {
    websocket: {
      venue: 'Gate APIv4, subscription to a private WebSocket channel',
      docs: 'https://www.gate.com/docs/developers/apiv4/ws/en/#authentication',
      notes: [
        'timestamp is the member time of the message, in seconds. channel and event must equal those of the message, such as spot.orders and subscribe.',
        'The message has auth: {"method": "api_key", "KEY": the API key, "SIGN": the signature}.',
        'The documentation has code for signing, but no signature.',
      ],
      example: {
        source: 'https://www.gate.com/docs/developers/apiv4/ws/en/#authentication',
        isComputed: true,
        key: { text: 'my-secret' },
        data: { channel: 'spot.orders', event: 'subscribe', timestamp: 1700000000 },
        payload: 'channel=spot.orders&event=subscribe&time=1700000000',
        signature:
          '2fdd246496fa11b4d951becdc02d6af42a93b72db0f47d1879b498a53b41962b995f78b326f09412b0316194383e2b23f318162ba27bbcc626fd4e125c9857c3',
      },
    },
    'websocket-api': {
      venue: 'Gate APIv4, requests of the WebSocket API',
      docs: 'https://www.gate.com/docs/developers/apiv4/ws/en/#api-request',
      notes: [
        'channel is that of the message, such as spot.login; body is the text of req_param, which must be sent as signed; timestamp is in seconds, and time and payload.timestamp of the message have its value.',
        'spot.login and futures.login give the session the rights of the API key: the requests after it are not signed.',
        'The documentation has code for signing, but no signature.',
      ],
      example: {
        source: 'https://www.gate.com/docs/developers/apiv4/ws/en/#api-request',
        isComputed: true,
        key: { text: 'my-secret' },
        data: { channel: 'spot.login', timestamp: 1700000000 },
        payload: 'api\nspot.login\n\n1700000000',
        signature:
          'b143e59bc623ce68064d87e6fea51b051d24187933bd37a24eb828d7d458341d9af130e884be17dc5461b884a6f2ce3cb4bfd9c66f00203f211adb84cc84fcd5',
      },
    },
  },
  keyFile: 'the API secret, exactly as Gate shows it',
  notes: [
    'The path is signed with its prefix, /api/v4.',
    'The query is signed before URL encoding, in the order of the request. A query given as text must therefore be decoded.',
    'The body is signed as the lowercase hex of its SHA-512; without a body, the hash of the empty text is signed.',
    'timestamp is in seconds and must equal the Timestamp header; Gate allows a difference of about 60 seconds.',
    'The secret looks like hex, but is used as text and not decoded.',
  ],
  example: {
    source: 'https://www.gate.com/docs/developers/apiv4/en/',
    key: { text: 'secret' },
    data: {
      method: 'GET',
      path: '/api/v4/futures/orders',
      query: { contract: 'BTC_USD', status: 'finished', limit: 50 },
      timestamp: 1541993715,
    },
    payload:
      'GET\n/api/v4/futures/orders\ncontract=BTC_USD&status=finished&limit=50\ncf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e\n1541993715',
    signature:
      '55f84ea195d6fe57ce62464daaa7c3c02fa9d1dde954e4c898289c9a2407a3d6fb3faf24deff16790d726b66ac9f74526668b13bd01029199cc4fcc522418b8a',
  },
};
