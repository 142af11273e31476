import { expect } from 'chai';
import { SCHEMES } from '../../../src/client/signature-schemes.ts';
import { COSMJS_KEY, COSMJS_VECTORS } from '../../vectors/cosmos/cosmjs.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const { isKey, verify } = SCHEMES['sign-doc'];

function isCosmosSignature(publicKey: string, payload: Buffer, signature: Buffer): Promise<boolean> | undefined {
  return verify?.(publicKey, payload, (length) => (signature.length === length ? [signature] : []));
}

describe('Cosmos signatures of the client', () => {
  for (const { sequence, signBytes, signature } of COSMJS_VECTORS) {
    const payload = Buffer.from(signBytes, 'hex');
    const bytes = Buffer.from(signature, 'hex');

    it(`accepts the signature of cosmjs for sequence ${sequence}, and no other`, async () => {
      expect(await isCosmosSignature(COSMJS_KEY.publicKey, payload, bytes)).to.equal(true);
      expect(await isCosmosSignature(COSMJS_KEY.publicKey, payload.subarray(1), bytes)).to.equal(false);
      const other = 'A/C+dj94G1tZ68N9chvtqRMUilOUJbqnILl9SCD2Uu11';
      expect(isKey(other)).to.equal(true);
      expect(await isCosmosSignature(other, payload, bytes)).to.equal(false);
    });

    it(`rejects its high s, as chains do, for sequence ${sequence}`, async () => {
      const s = ORDER - BigInt(`0x${signature.slice(64)}`);
      const high = Buffer.from(signature.slice(0, 64) + s.toString(16).padStart(64, '0'), 'hex');
      expect(await isCosmosSignature(COSMJS_KEY.publicKey, payload, high)).to.equal(false);
    });
  }

  it('knows keys by their form: base64 of a compressed point', () => {
    for (const text of [
      '',
      'A08EGB7r',
      `0x04${'11'.repeat(64)}`,
      Buffer.alloc(33, 2).fill(255, 1).toString('base64'),
    ]) {
      expect(isKey(text), text).to.equal(false);
    }
  });
});
