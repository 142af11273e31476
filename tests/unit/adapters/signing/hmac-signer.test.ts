import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { HmacSigner } from '../../../../src/adapters/signing/hmac-signer.ts';
import { MAC_ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { hmacOf } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { RFC_4231_VECTORS } from '../../../vectors/rfc-4231.ts';

const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha384': 'sha384', 'hmac-sha512': 'sha512' } as const;

for (const algorithm of MAC_ALGORITHMS) {
  describeSignerContract(`HmacSigner of ${algorithm}`, {
    make: () => new HmacSigner(algorithm),
    invalidKeys: [Buffer.alloc(1025, 0xab)],
    verifyIndependently: ({ privateKey, message, signature }) =>
      hmacOf(HASHES[algorithm], privateKey, message).equals(signature),
  });

  describe(`HmacSigner for ${algorithm}`, () => {
    const signer = new HmacSigner(algorithm);

    for (const { name, secret, message, codes } of RFC_4231_VECTORS) {
      it(`reproduces the published MAC of RFC 4231 §4, ${name}`, () => {
        const [key, bytes] = [Buffer.from(secret, 'hex'), Buffer.from(message, 'hex')];
        const code = signer.sign(key, bytes, 'hex');
        // Some published codes are truncated.
        expect(code.slice(0, codes[algorithm].length)).to.equal(codes[algorithm]);
        expect(signer.verifyWithSecret(key, bytes, code, 'hex')).to.equal(true);
        const isWhole = codes[algorithm].length === code.length;
        expect(signer.verifyWithSecret(key, bytes, codes[algorithm], 'hex')).to.equal(isWhole);
      });
    }

    it('identifies a secret by the first 64 bits of SHA-256 over its MAC of the documented label', () => {
      const secret = Buffer.from('a secret as a platform gives it out');
      const code = hmacOf(HASHES[algorithm], secret, Buffer.from(`signing-service/hmac-key-id/v1/${algorithm}`));
      const digest = createHash('sha256').update(code).digest('hex');
      expect(signer.publicKey(secret)).to.equal(`hmac:${digest.slice(0, 16)}`);
    });

    it('rejects an empty secret', () => {
      expect(() => signer.expand(Buffer.alloc(0), Buffer.alloc(0))).to.throw(InvalidPrivateKeyError);
    });
  });
}
