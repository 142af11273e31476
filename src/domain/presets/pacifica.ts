import type { VenuePreset } from './venue-preset.ts';

/** Pacifica. */
export const PACIFICA: VenuePreset = {
  name: 'pacifica',
  venue: 'Pacifica',
  docs: 'https://docs.pacifica.fi/api-documentation/api/signing/implementation',
  platform: { format: 'any', payload: { rule: 'jcs' }, algorithms: ['ed25519'], encoding: 'base58' },
  keyFile: 'the private key of the wallet or the agent wallet, base58 of 64 bytes',
  keyFormat: 'base58',
  notes: [
    'The signed message is {timestamp, expiry_window, type, data}. The request is flat: the members of data next to account, signature, timestamp and expiry_window, without type and data.',
    'timestamp is in milliseconds. type is the name of the operation, such as create_order, not the path.',
    'The official Python SDK (pacifica-fi/python-sdk common/utils.py) writes non-ASCII characters as \\u escapes and a float 1.0 as 1.0; RFC 8785 does neither. Use only ASCII text, and write decimals as strings, as the documentation does.',
    'account and the secret are base58; a 64-byte secret consists of seed and public key.',
  ],
  example: {
    source:
      'https://github.com/zhuco/rustcta/blob/3859b6804f49fb3a9767bfc8689a9304741e56b4/tests/fixtures/exchanges/pacifica/signing_vectors/create_order_ed25519.json',
    key: { hex: '0707070707070707070707070707070707070707070707070707070707070707' },
    data: {
      timestamp: 1748970123456,
      expiry_window: 5000,
      type: 'create_order',
      data: {
        symbol: 'BTC',
        price: '100000',
        amount: '0.1',
        side: 'bid',
        tif: 'GTC',
        reduce_only: false,
        client_order_id: '12345678-1234-1234-1234-123456789abc',
      },
    },
    payload:
      '{"data":{"amount":"0.1","client_order_id":"12345678-1234-1234-1234-123456789abc","price":"100000","reduce_only":false,"side":"bid","symbol":"BTC","tif":"GTC"},"expiry_window":5000,"timestamp":1748970123456,"type":"create_order"}',
    signature: '2VkGp5vUNunGJveBnx9bEnLyUpENUeRkSS61XvbgnfbKpFLuBZ47JWXygk7JuWBEYVJi963Wz2r2fsQMierqcj6h',
  },
};
