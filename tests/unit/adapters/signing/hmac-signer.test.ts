import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { HmacSigner } from '../../../../src/adapters/signing/hmac-signer.ts';
import { ALGORITHMS, isMacAlgorithm } from '../../../../src/domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { hmacOf } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { RFC_4231_VECTORS } from '../../../vectors/rfc-4231.ts';

for (const algorithm of ALGORITHMS.filter(isMacAlgorithm)) {
  describeSignerContract(`HmacSigner of ${algorithm}`, {
    make: () => new HmacSigner(algorithm),
    invalidKeys: [Buffer.alloc(1025, 0xab)],
    verifyIndependently: ({ privateKey, message, signature }) =>
      hmacOf(algorithm, privateKey, message).equals(signature),
  });

  describe(`HmacSigner for ${algorithm}`, () => {
    const signer = new HmacSigner(algorithm);

    for (const { name, secret, message, codes } of RFC_4231_VECTORS) {
      const published = codes[algorithm];
      if (published === undefined) continue;
      it(`reproduces the published MAC of RFC 4231 §4, ${name}`, () => {
        const [key, bytes] = [Buffer.from(secret, 'hex'), Buffer.from(message, 'hex')];
        const code = signer.sign(key, bytes, 'hex');
        // Some published codes are truncated.
        expect(code.slice(0, published.length)).to.equal(published);
        expect(signer.verifyWithSecret(key, bytes, code, 'hex')).to.equal(true);
        const isWhole = published.length === code.length;
        expect(signer.verifyWithSecret(key, bytes, published, 'hex')).to.equal(isWhole);
      });
    }

    it('identifies a secret by the first 64 bits of SHA-256 over its MAC of the documented label', () => {
      const secret = Buffer.from('a secret as a platform gives it out');
      const code = hmacOf(algorithm, secret, Buffer.from(`signing-service/hmac-key-id/v1/${algorithm}`));
      const digest = createHash('sha256').update(code).digest('hex');
      expect(signer.publicKey(secret)).to.equal(`hmac:${digest.slice(0, 16)}`);
    });

    it('rejects an empty secret', () => {
      expect(() => signer.expand(Buffer.alloc(0), Buffer.alloc(0))).to.throw(InvalidPrivateKeyError);
    });
  });
}
