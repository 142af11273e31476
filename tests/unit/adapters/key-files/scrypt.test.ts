import { scryptSync } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { scrypt, scryptBeyondOpenssl } from '../../../../src/adapters/key-files/scrypt.ts';

/** RFC 7914 §12, without the vectors that take long or 1 GiB. */
const RFC7914 = [
  {
    password: '',
    salt: '',
    cost: { n: 16, r: 1, p: 1 },
    key: '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
  },
  {
    password: 'password',
    salt: 'NaCl',
    cost: { n: 1024, r: 8, p: 16 },
    key: 'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  },
] as const;

describe('scrypt', () => {
  for (const { password, salt, cost, key } of RFC7914) {
    it(`reproduces the RFC 7914 §12 vector for N = ${cost.n}, with and without OpenSSL`, () => {
      for (const derive of [scrypt, scryptBeyondOpenssl]) {
        expect(derive(Buffer.from(password), Buffer.from(salt), cost, 64).toString('hex')).to.equal(key);
      }
    });
  }

  it('agrees with node:crypto without OpenSSL', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    const logN = fc.integer({ min: 1, max: 8 });
    const small = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(bytes, bytes, logN, small, small, (password, salt, log, r, p) => {
        const cost = { n: 2 ** log, r, p };
        const key = scryptBeyondOpenssl(Buffer.from(password), Buffer.from(salt), cost, 32);
        expect(key.equals(scryptSync(password, salt, 32, { N: cost.n, r, p }))).to.equal(true);
      }),
    );
  });
});
