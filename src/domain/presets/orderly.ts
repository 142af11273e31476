import type { VenuePreset } from './venue-preset.ts';

/** Orderly Network REST, as WOOFi Pro uses it. */
export const ORDERLY: VenuePreset = {
  name: 'orderly',
  venue: 'Orderly Network REST, also for WOOFi Pro and other builders',
  docs: 'https://orderly.network/docs/build-on-omnichain/api-authentication',
  platform: {
    format: 'any',
    payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'ms' },
    algorithms: ['ed25519'],
    encoding: 'base64url',
  },
  keyFile: 'the Orderly secret, with or without ed25519: in front of its base58 (32 bytes)',
  keyFormat: 'base58',
  notes: [
    'The header orderly-key is ed25519: and the public key in base58, as account show prints it; orderly-account-id is the account ID. Neither is signed.',
    'orderly-timestamp must be the signed timestamp, in milliseconds.',
    'Send path, query and body byte for byte as signed. The documentation signs the percent-encoded query of the URL; ccxt signs it decoded.',
    'The venue accepts the signature in base64url and in base64.',
    'Registration, new Orderly keys and withdrawals are EIP-712 messages of the wallet, which this platform does not sign.',
    'The documentation shows the text that is signed, but no signature.',
  ],
  example: {
    source: 'https://orderly.network/docs/build-on-omnichain/api-authentication',
    isComputed: true,
    key: { hex: '0707070707070707070707070707070707070707070707070707070707070707' },
    data: {
      timestamp: 1649920583000,
      method: 'POST',
      path: '/v1/order',
      body: {
        symbol: 'PERP_ETH_USDC',
        order_type: 'LIMIT',
        order_price: 1521.03,
        order_quantity: 2.11,
        side: 'BUY',
      },
    },
    payload:
      '1649920583000POST/v1/order{"symbol":"PERP_ETH_USDC","order_type":"LIMIT","order_price":1521.03,"order_quantity":2.11,"side":"BUY"}',
    signature: 'Dp4q0TsRp2wOh1Ov3GR-1FQ1m4lzFnL_W3ucv0xv1BJqGSJRk1Zj_DjK8HngLqIsWpNuJ-HAHTwHouNafDvFAA',
  },
};
