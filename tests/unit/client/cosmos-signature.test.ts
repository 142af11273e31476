import { expect } from 'chai';
import { isCosmosKey, isCosmosSignature } from '../../../src/client/cosmos-signature.ts';
import { COSMJS_KEY, COSMJS_VECTORS } from '../../vectors/cosmos/cosmjs.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('isCosmosSignature', () => {
  for (const { sequence, signBytes, signature } of COSMJS_VECTORS) {
    const payload = Buffer.from(signBytes, 'hex');
    const bytes = Buffer.from(signature, 'hex');

    it(`accepts the signature of cosmjs for sequence ${sequence}, and no other`, () => {
      expect(isCosmosSignature(COSMJS_KEY.publicKey, payload, bytes)).to.equal(true);
      expect(isCosmosSignature(COSMJS_KEY.publicKey, payload.subarray(1), bytes)).to.equal(false);
      const other = 'A/C+dj94G1tZ68N9chvtqRMUilOUJbqnILl9SCD2Uu11';
      expect(isCosmosKey(other)).to.equal(true);
      expect(isCosmosSignature(other, payload, bytes)).to.equal(false);
    });

    it(`rejects its high s, as chains do, for sequence ${sequence}`, () => {
      const s = ORDER - BigInt(`0x${signature.slice(64)}`);
      const high = Buffer.from(signature.slice(0, 64) + s.toString(16).padStart(64, '0'), 'hex');
      expect(isCosmosSignature(COSMJS_KEY.publicKey, payload, high)).to.equal(false);
    });
  }

  it('knows keys by their form: base64 of a compressed point', () => {
    for (const text of [
      '',
      'A08EGB7r',
      `0x04${'11'.repeat(64)}`,
      Buffer.alloc(33, 2).fill(255, 1).toString('base64'),
    ]) {
      expect(isCosmosKey(text), text).to.equal(false);
    }
  });
});
