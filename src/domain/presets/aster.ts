import type { VenuePreset } from './venue-preset.ts';

/** Aster API v1 with HMAC keys. */
export const ASTER: VenuePreset = {
  name: 'aster',
  venue: 'Aster API v1, HMAC keys',
  docs: 'https://github.com/asterdex/api-docs/blob/master/V1(Legacy)/EN/aster-finance-futures-api.md',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Aster shows it',
  notes: [
    'As Binance REST: the parameters in the order sent, percent-encoded, including timestamp in milliseconds; signature is appended.',
    'Parameters split between query string and form body are concatenated without "&". The signature that the documentation shows for this case is wrong: it is that of the text with "&".',
  ],
  example: {
    source:
      'https://github.com/asterdex/api-docs/blob/0bd400f31b4f175b336ae75a0dd1168318b11d15/V1(Legacy)/EN/aster-finance-futures-api.md',
    key: { text: '2b5eb11e18796d12d88f13dc27dbbd02c2cc51ff7059765ed9821957d82bb4d9' },
    data: {
      params: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '1',
        price: '9000',
        timeInForce: 'GTC',
        recvWindow: 5000,
        timestamp: 1591702613943,
      },
    },
    payload:
      'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1&price=9000&timeInForce=GTC&recvWindow=5000&timestamp=1591702613943',
    signature: '3c661234138461fcc7a7d8746c6558c9842d4e10870d2ecbedf7777cad694af9',
  },
};

/** Aster API v3, the query string as the one member of an EIP-712 message. */
export const ASTER_V3: VenuePreset = {
  name: 'aster-v3',
  venue: 'Aster API v3',
  docs: 'https://github.com/asterdex/api-docs/blob/master/V3(Recommended)/EN/aster-finance-futures-api-v3.md',
  platform: {
    format: 'any',
    payload: {
      rule: 'query',
      field: 'params',
      typedData: {
        domain: {
          name: 'AsterSignTransaction',
          version: '1',
          chainId: 1666,
          verifyingContract: '0x0000000000000000000000000000000000000000',
        },
        primaryType: 'Message',
        member: 'msg',
      },
    },
    algorithms: ['eip712'],
    encoding: '0x-hex',
  },
  keyFile: 'the private key of the API wallet (the signer), 64 hex digits',
  notes: [
    'The message is the URL-encoded text of all parameters exactly as sent, including nonce, signer and (for futures) user, without signature.',
    'nonce is the time in microseconds, within 60 seconds of the server time. The server keeps the last hundred for each signer address, so services that share a key must not use the same nonces.',
    "The caller chooses the order: the venue's own examples do not sort, others do. Send exactly the signed text.",
    "A space is %20 here and + in the venue's Python examples: send the signed text.",
    'chainId is 1666 on the main network and 714 on the test network.',
    "A withdrawal has a second signature, by the user's own wallet over other typed data: rule typed-data.",
  ],
  example: {
    source:
      'https://github.com/ajayi-del/ARIA/blob/c8190f66581fa535c967e795f135e6bfb1df97d0/tests/test_aster_client.py',
    key: { hex: '4fd0a42218f3eae43a6ce26d22544e986139a01e5b34a62db53757ffca81bae1' },
    data: {
      params: {
        symbol: 'ASTERUSDT',
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'GTC',
        quantity: '20',
        price: '0.5',
        nonce: '1748310859508867',
        signer: '0x21cF8Ae13Bb72632562c6Fff438652Ba1a151bb0',
      },
    },
    payload:
      '1901a95d0a7a6f3f17fcebb0c2336645385ce79cde7523f71ab147fdb7f15e9f37f9fda3c00f7da2bede0ed7f9362bda29d068cf3c41eee370fceb6cde0ec623b8fc',
    payloadEncoding: 'hex',
    signature:
      '0xd82a6784f5eff00b95ecb88145cf7a5fa6803ea6f67e0217262073da628750a742bb3ba555af418320e55029afe358957808d4f810d73ea663d9c91852cd6d941c',
  },
};
