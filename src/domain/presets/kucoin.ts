import type { VenuePreset } from './venue-preset.ts';

/** KuCoin REST, API keys of version 2 and later. */
export const KUCOIN: VenuePreset = {
  name: 'kucoin',
  venue: 'KuCoin REST, API keys of version 2 and later',
  docs: 'https://www.kucoin.com/docs-new/authentication',
  platform: {
    format: 'any',
    payload: {
      rule: 'prehash',
      template: '{timestamp}{METHOD}{path}{?query}{body}',
      timestamp: 'ms',
      query: { encode: 'none' },
      passphrase: 'mac',
    },
    algorithms: ['hmac-sha256'],
    encoding: 'base64',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as KuCoin shows it',
  notes: [
    'The header KC-API-TIMESTAMP must be the signed timestamp, in milliseconds.',
    'KC-API-PASSPHRASE is base64 of the HMAC-SHA256 of the passphrase with the same secret, and never changes. account add --passphrase-file FILE computes it from a file with the passphrase, and stores it as the value passphrase of the account; callers get it in payloadParts.values.passphrase. Without the secret it signs nothing, but it is a part of the credentials that each request carries: treat it like the API key. Only keys of version 1 send the passphrase unchanged.',
    'GET and DELETE sign path and query string before percent-encoding: KuCoin rejects signatures of the encoded text (JKorf/Kucoin.Net issue 72), and its own SDK signs the decoded text. Percent-encode the values when sending, in the signed order; payloadParts.query is the decoded text. A query given as text must be decoded, and a path with a query is rejected.',
    'POST and PUT sign the JSON body, byte for byte as sent.',
  ],
  example: {
    source:
      'https://github.com/Kucoin/kucoin-api-docs/blob/12717649274fbdad8d0515c222503eafc61a654a/source/localizable/index.html.md',
    key: { text: 'f03a5284-5c39-4aaa-9b20-dea10bdcf8e3' },
    data: { timestamp: 1547015186532, method: 'POST', path: '/api/v1/deposit-addresses', body: { currency: 'BTC' } },
    payload: '1547015186532POST/api/v1/deposit-addresses{"currency":"BTC"}',
    signature: '7QP/oM0ykidMdrfNEUmng8eZjg/ZvPafjIqmxiVfYu4=',
  },
};
