import { expect } from 'chai';
import fc from 'fast-check';
import { InvalidPrivateKeyError } from '../../src/domain/model/errors.ts';
import { SIGNATURE_ENCODINGS, type SignatureEncoding } from '../../src/domain/model/signature-encoding.ts';
import type { Signer } from '../../src/ports/signer.ts';

/** What a Signer's contract is checked with. */
export interface SignerHarness {
  readonly make: () => Signer;
  /** Private keys that the algorithm must refuse. */
  readonly invalidKeys: readonly Uint8Array[];
  /** A verification that shares no code with the Signer. */
  readonly verifyIndependently: (
    publicKey: string,
    message: Uint8Array,
    signature: string,
    encoding: SignatureEncoding,
  ) => boolean;
}

/** What every Signer has to do. */
export function describeSignerContract(name: string, harness: SignerHarness): void {
  describe(`Signer contract: ${name}`, () => {
    const signer = harness.make();
    const privateKeys = fc
      .uint8Array({ minLength: signer.privateKeyLength, maxLength: signer.privateKeyLength })
      // The highest bytes are kept below a group order's, so that each is a key of every algorithm.
      .map((bytes) => Uint8Array.of(1, ...bytes.subarray(1)));

    function expand(privateKey: Uint8Array): Buffer {
      const signingKey = Buffer.alloc(signer.signingKeyLength);
      signer.expand(privateKey, signingKey);
      return signingKey;
    }

    it('makes signatures that an independent implementation accepts, in every encoding', () => {
      fc.assert(
        fc.property(
          privateKeys,
          fc.uint8Array({ maxLength: 300 }),
          fc.constantFrom(...SIGNATURE_ENCODINGS),
          (privateKey, message, encoding) => {
            const key = expand(privateKey);
            const signature = signer.sign(key, message, encoding);
            return harness.verifyIndependently(signer.publicKey(key), message, signature, encoding);
          },
        ),
        { numRuns: 100 },
      );
    });

    it('verifies its own signatures and no others', () => {
      const key = expand(new Uint8Array(signer.privateKeyLength).fill(1));
      const otherKey = expand(new Uint8Array(signer.privateKeyLength).fill(2));
      const publicKey = signer.publicKey(key);
      const message = Buffer.from('message');
      for (const encoding of SIGNATURE_ENCODINGS) {
        const signature = signer.sign(key, message, encoding);
        expect(signer.verify(publicKey, message, signature, encoding)).to.equal(true);
        expect(signer.verify(publicKey, Buffer.from('messagf'), signature, encoding)).to.equal(false);
        expect(signer.verify(signer.publicKey(otherKey), message, signature, encoding)).to.equal(false);
        expect(signer.verify(publicKey, message, signature.slice(0, -1), encoding)).to.equal(false);
        expect(signer.verify(publicKey, message, `${signature}A`, encoding)).to.equal(false);
        expect(signer.verify(publicKey, message, '', encoding)).to.equal(false);
        expect(signer.verify(publicKey, message, '\u{1f600}', encoding)).to.equal(false);
        expect(signer.verify('', message, signature, encoding)).to.equal(false);
        expect(signer.verify('nonsense', message, signature, encoding)).to.equal(false);
      }
    });

    it('finds any flipped bit of a signature', () => {
      const key = expand(new Uint8Array(signer.privateKeyLength).fill(3));
      const publicKey = signer.publicKey(key);
      const message = Buffer.from('message');
      const signature = Buffer.from(signer.sign(key, message, 'base64'), 'base64');
      for (let bit = 0; bit < signature.length * 8; bit += 1) {
        const altered = Buffer.from(signature);
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(signer.verify(publicKey, message, altered.toString('base64'), 'base64'), `bit ${bit}`).to.equal(false);
      }
    });

    it('is deterministic: one key and one message give one signature', () => {
      const key = expand(new Uint8Array(signer.privateKeyLength).fill(4));
      const message = Buffer.from('message');
      expect(signer.sign(key, message, 'hex')).to.equal(harness.make().sign(key, message, 'hex'));
    });

    it('signs the empty message and one of a megabyte', () => {
      const key = expand(new Uint8Array(signer.privateKeyLength).fill(5));
      for (const message of [Buffer.alloc(0), Buffer.alloc(1_048_576, 0x61)]) {
        const signature = signer.sign(key, message, 'hex');
        expect(harness.verifyIndependently(signer.publicKey(key), message, signature, 'hex')).to.equal(true);
      }
    });

    it('refuses what is no private key, saying nothing of it', () => {
      for (const invalid of harness.invalidKeys) {
        expect(() => expand(invalid))
          .to.throw(InvalidPrivateKeyError)
          .with.property('message')
          .that.does.not.include(Buffer.from(invalid).toString('hex'));
      }
    });
  });
}
