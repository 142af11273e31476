import { createECDH, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { isPublicKeyOfScalar } from '../../../../src/adapters/vault/secp256k1-key.ts';

describe('isPublicKeyOfScalar', () => {
  function pair() {
    const ecdh = createECDH('secp256k1');
    ecdh.generateKeys();
    const hex = ecdh.getPrivateKey('hex').padStart(64, '0');
    return {
      scalar: Buffer.from(hex, 'hex'),
      compressed: ecdh.getPublicKey(null, 'compressed'),
      uncompressed: ecdh.getPublicKey(),
    };
  }

  it('is true for the point of the scalar alone, in both forms and with either sign of y', () => {
    for (let index = 0; index < 10; index += 1) {
      const { scalar, compressed, uncompressed } = pair();
      const other = pair();
      expect(isPublicKeyOfScalar(compressed, scalar)).to.equal(true);
      expect(isPublicKeyOfScalar(uncompressed, scalar)).to.equal(true);
      expect(isPublicKeyOfScalar(other.compressed, scalar)).to.equal(false);
      expect(isPublicKeyOfScalar(other.uncompressed, scalar)).to.equal(false);
    }
  });

  it('is false if any byte of the point differs', () => {
    const { scalar, compressed, uncompressed } = pair();
    for (const point of [compressed, uncompressed]) {
      for (let index = 0; index < point.length; index += 1) {
        const changed = Buffer.from(point);
        changed[index] = Number(point[index]) ^ 1;
        expect(isPublicKeyOfScalar(changed, scalar), `byte ${index}`).to.equal(false);
      }
    }
  });

  it('is false for an invalid point or scalar', () => {
    const { scalar, compressed } = pair();
    expect(isPublicKeyOfScalar(Buffer.alloc(0), scalar)).to.equal(false);
    expect(isPublicKeyOfScalar(randomBytes(64), scalar)).to.equal(false);
    expect(isPublicKeyOfScalar(compressed, Buffer.alloc(32))).to.equal(false);
    expect(isPublicKeyOfScalar(compressed, Buffer.alloc(32, 0xff))).to.equal(false);
  });
});
