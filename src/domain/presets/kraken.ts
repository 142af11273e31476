import type { VenuePreset } from './venue-preset.ts';

/** Kraken spot REST. */
export const KRAKEN: VenuePreset = {
  name: 'kraken',
  venue: 'Kraken spot REST',
  docs: 'https://docs.kraken.com/api/docs/guides/spot-rest-auth',
  platform: {
    format: 'any',
    payload: { rule: 'kraken' },
    algorithms: ['hmac-sha512'],
    encoding: 'base64',
    secretDecoding: 'base64',
  },
  keyFile: 'the private key, exactly as Kraken shows it (base64)',
  notes: [
    'The private key is base64; the HMAC key is the decoded bytes.',
    'The path starts with /0/private, without the host.',
    'The nonce is signed twice: alone before the body, and as a member of the body. It must be the same text both times and must increase with each request.',
    'The venue rejects a nonce that is not higher than the last one of the API key, unless the key has a nonce window. Requests that overtake each other are then rejected too: use one API key for each process, count up atomically from the time in milliseconds, and set a window if requests run in parallel. A nonce cannot be lowered again.',
    'Send the body exactly as signed (application/x-www-form-urlencoded). Kraken accepts any order of its members.',
    'If the key requires a one-time password, otp is a member of the body.',
  ],
  example: {
    source: 'https://docs.kraken.com/api/docs/guides/spot-rest-auth',
    key: { text: 'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==' },
    data: {
      path: '/0/private/AddOrder',
      body: { nonce: '1616492376594', ordertype: 'limit', pair: 'XBTUSD', price: 37500, type: 'buy', volume: '1.25' },
    },
    payload: '2f302f707269766174652f4164644f7264657223a1c1b34c6a11d641af0f24684896cb90f66fb991125c83dc357bdc3dc146f1',
    payloadEncoding: 'hex',
    signature: '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
  },
};
