import type { VenuePreset } from './venue-preset.ts';

/** HTX (Huobi) REST, HMAC keys. */
export const HTX: VenuePreset = {
  name: 'htx',
  venue: 'HTX (Huobi) REST, HMAC keys',
  docs: 'https://huobiapi.github.io/docs/spot/v1/en/#authentication',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params', sort: true, prefix: '{METHOD}\n{data.host}\n{path}\n' },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'utf8',
  },
  keyFile: 'the secret key, exactly as HTX shows it',
  notes: [
    'data.host is the lowercase host of the request, such as api.huobi.pro or api.hbdm.com, without https:// and port.',
    'params are the parameters of the URL: AccessKeyId, SignatureMethod, SignatureVersion and Timestamp, and for a GET also those of the request. They are sorted in ASCII order (capitals first) and percent-encoded. The JSON body of a POST is not signed: only TLS protects it.',
    'Timestamp is UTC with seconds, without milliseconds and Z (2017-05-11T15:19:30), within five minutes of the server time.',
    'The signature is the URL parameter Signature, percent-encoded: base64 contains +, / and =.',
    'The documentation shows a signature for its example (4F65x5A2…) that does not result from its keys.',
    'WebSocket logins of version 2.1 use other names (accessKey, signatureMethod …) and are signed in the same way.',
  ],
  example: {
    source:
      'https://github.com/leizongmin/huobiapi/blob/055d5edf8f6fe9c6d6cbd82fb4d2f32c48efaaf7/client/client_test.go',
    key: { text: 'b0xxxxxx-c6xxxxxx-94xxxxxx-dxxxx' },
    data: {
      method: 'GET',
      host: 'api.huobi.pro',
      path: '/v1/order/orders',
      params: {
        AccessKeyId: 'e2xxxxxx-99xxxxxx-84xxxxxx-7xxxx',
        SignatureMethod: 'HmacSHA256',
        SignatureVersion: '2',
        Timestamp: '2017-05-11T15:19:30',
        'order-id': '1234567890',
      },
    },
    payload:
      'GET\napi.huobi.pro\n/v1/order/orders\nAccessKeyId=e2xxxxxx-99xxxxxx-84xxxxxx-7xxxx&SignatureMethod=HmacSHA256&SignatureVersion=2&Timestamp=2017-05-11T15%3A19%3A30&order-id=1234567890',
    signature: 'Nmd8AU8uAe0mkFpxNbiava0aeZzBEtYjCdie1ZYZjoM=',
  },
};
