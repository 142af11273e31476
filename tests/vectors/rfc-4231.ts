/** A published HMAC. */
export interface HmacVector {
  readonly name: string;
  /** Hex. */
  readonly secret: string;
  /** Hex. */
  readonly message: string;
  /** Hex; of test case 5 only the first 16 bytes are published. */
  readonly codes: { readonly [algorithm: string]: string };
}

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

/** RFC 4231 §4.2 to 4.8: https://www.rfc-editor.org/rfc/rfc4231#section-4 */
export const RFC_4231_VECTORS: readonly HmacVector[] = [
  {
    name: 'test case 1',
    secret: '0b'.repeat(20),
    message: hex('Hi There'),
    codes: {
      'hmac-sha256': 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
      'hmac-sha384': 'afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6',
      'hmac-sha512':
        '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
    },
  },
  {
    name: 'test case 2, a key shorter than the code',
    secret: hex('Jefe'),
    message: hex('what do ya want for nothing?'),
    codes: {
      'hmac-sha256': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
      'hmac-sha384': 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
      'hmac-sha512':
        '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    },
  },
  {
    name: 'test case 3, key and message together longer than a block',
    secret: 'aa'.repeat(20),
    message: 'dd'.repeat(50),
    codes: {
      'hmac-sha256': '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
      'hmac-sha384': '88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27',
      'hmac-sha512':
        'fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb',
    },
  },
  {
    name: 'test case 4, the same with another key',
    secret: '0102030405060708090a0b0c0d0e0f10111213141516171819',
    message: 'cd'.repeat(50),
    codes: {
      'hmac-sha256': '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
      'hmac-sha384': '3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb',
      'hmac-sha512':
        'b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd',
    },
  },
  {
    name: 'test case 5, published cut to 128 bits',
    secret: '0c'.repeat(20),
    message: hex('Test With Truncation'),
    codes: {
      'hmac-sha256': 'a3b6167473100ee06e0c796c2955552b',
      'hmac-sha384': '3abf34c3503b2a23a46efc619baef897',
      'hmac-sha512': '415fad6271580a531d4179bc891d87a6',
    },
  },
  {
    name: 'test case 6, a key longer than a block',
    secret: 'aa'.repeat(131),
    message: hex('Test Using Larger Than Block-Size Key - Hash Key First'),
    codes: {
      'hmac-sha256': '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
      'hmac-sha384': '4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952',
      'hmac-sha512':
        '80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598',
    },
  },
  {
    name: 'test case 7, key and message longer than a block',
    secret: 'aa'.repeat(131),
    message: hex(
      'This is a test using a larger than block-size key and a larger than block-size data. ' +
        'The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    codes: {
      'hmac-sha256': '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
      'hmac-sha384': '6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e',
      'hmac-sha512':
        'e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58',
    },
  },
];
