import { expect } from 'chai';
import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import { TestKey } from '../../../authentication/parties.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';

/** Group order, and a scalar beyond it (RFC 8032 §5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/**
 * All points of small order, and other encodings of some (https://eprint.iacr.org/2020/1244, table
 * 1).
 */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Buffer.from(hex, 'hex'));

describe('SodiumSignatureVerifier', () => {
  const verifier = new SodiumSignatureVerifier();
  const key = new TestKey(3);
  const message = Buffer.from('message');

  for (const { name, publicKey, message: hex, signature } of RFC_8032_VECTORS) {
    it(`accepts the signature of ${name} of RFC 8032`, () => {
      const [bytes, signed] = [Buffer.from(hex, 'hex'), Buffer.from(signature, 'hex')];
      expect(verifier.verify(Buffer.from(publicKey, 'hex'), bytes, signed)).to.equal(true);
      expect(verifier.verify(Buffer.from(publicKey, 'hex'), Buffer.concat([bytes, Buffer.alloc(1)]), signed)).to.equal(
        false,
      );
    });
  }

  it('returns false, and never throws, for keys and signatures of invalid length', () => {
    const signature = key.sign(message);
    for (const length of [0, 31, 33, 64]) {
      expect(verifier.verify(Buffer.alloc(length, 1), message, signature)).to.equal(false);
    }
    for (const length of [0, 63, 65]) {
      expect(verifier.verify(key.publicKey, message, Buffer.alloc(length, 1))).to.equal(false);
    }
  });

  // With such a key A and such a point R, the scalar 0 satisfies 0·B = R + k·A for one message in
  // eight, and for every message where both are the neutral element (RFC 8032 §5.1.7).
  it('rejects every public key of small order, with signatures that satisfy the equation', () => {
    for (const publicKey of SMALL_ORDER) {
      for (const commitment of SMALL_ORDER) {
        const signature = Buffer.concat([commitment, Buffer.alloc(32)]);
        for (let number = 0; number < 16; number += 1) {
          expect(verifier.verify(publicKey, Buffer.from([number]), signature)).to.equal(false);
        }
      }
    }
  });

  it('rejects a signature with a non-canonical scalar', () => {
    const signature = key.sign(message);
    const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + L;
    const other = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
    expect(verifier.verify(key.publicKey, message, signature)).to.equal(true);
    expect(verifier.verify(key.publicKey, message, Buffer.concat([signature.subarray(0, 32), other]))).to.equal(false);
  });
});
