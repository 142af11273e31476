import { expect } from 'chai';
import { computeAddress } from 'ethers/transaction';
import fc from 'fast-check';
import { getKeyLengths } from '../../src/domain/model/account.ts';
import { isEthereumAlgorithm, SIGNATURE_ENCODINGS, type SignatureEncoding } from '../../src/domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../src/domain/model/errors.ts';
import { memoizeByObject } from '../../src/domain/model/memoize.ts';
import type { Signer } from '../../src/ports/signer.ts';
import { encodeLike, signatureBytes } from './signature-bytes.ts';

/** A signature and its inputs. */
export interface MadeSignature {
  readonly privateKey: Uint8Array;
  /** As the Signer formats it. */
  readonly publicKey: string;
  readonly message: Uint8Array;
  /** Decoded bytes. */
  readonly signature: Buffer;
}

export interface SignerHarness {
  readonly make: () => Signer;
  /** Private keys that the algorithm must reject. */
  readonly invalidKeys: readonly Uint8Array[];
  /** Three different private keys, shortest first; absent: any bytes of a right length. */
  readonly privateKeys?: readonly Uint8Array[];
  /** Messages that the algorithm signs; absent: any bytes. */
  readonly messages?: fc.Arbitrary<Uint8Array>;
  /** Messages that it never signs; absent: none. */
  readonly foreignMessages?: readonly Uint8Array[];
  /** A verification that shares no code with the Signer. */
  readonly verifyIndependently: (made: MadeSignature) => boolean;
  /** Random signatures to verify independently; absent: 25. Fewer where that takes long. */
  readonly runs?: number;
}

/** For variable key lengths: tests keys shorter and longer than a hash block. */
const LONGEST_RANDOM_KEY = 200;

/** Contract of every Signer. */
export function describeSignerContract(name: string, harness: SignerHarness): void {
  describe(`Signer contract: ${name}`, () => {
    const signer = harness.make();
    const [sampleKey, privateKeys] = keysOf(harness, signer);
    const messages = harness.messages ?? fc.uint8Array({ maxLength: 300 });
    const message = signer.probe;

    function expand(privateKey: Uint8Array): Buffer {
      const signingKey = Buffer.alloc(signer.signingKeyLength ?? privateKey.length);
      signer.expand(privateKey, signingKey);
      return signingKey;
    }

    const filled = (byte: number): Buffer => expand(sampleKey(byte));
    const publicKeyOf = memoizeByObject((key: Uint8Array) => ({ text: signer.publicKey(key) }));

    function accepts(key: Uint8Array, signed: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
      if (signer.kind === 'mac') return signer.verifyWithSecret(key, signed, signature, encoding);
      return signer.verify(publicKeyOf(key).text, signed, signature, encoding);
    }

    function isRight(privateKey: Uint8Array, signed: Uint8Array, encoding: SignatureEncoding = 'hex'): boolean {
      const key = expand(privateKey);
      const signature = signatureBytes(signer.sign(key, signed, encoding), encoding);
      return harness.verifyIndependently({ privateKey, publicKey: signer.publicKey(key), message: signed, signature });
    }

    it('returns the Ethereum address of a valid public key, if the algorithm has one', () => {
      if (!isEthereumAlgorithm(signer.algorithm)) return void expect(signer.address).to.equal(undefined);
      fc.assert(
        fc.property(privateKeys, (privateKey) => {
          const publicKey = signer.publicKey(expand(privateKey));
          expect(signer.address?.(publicKey)).to.equal(computeAddress(publicKey));
          expect(signer.address?.(publicKey.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')))).to.equal(null);
        }),
        { numRuns: 20 },
      );
      for (const text of ['', '0x04', `0x${'11'.repeat(32)}`]) expect(signer.address?.(text), text).to.equal(null);
    });

    it('creates signatures that an independent implementation accepts, in every encoding', () => {
      fc.assert(
        fc.property(privateKeys, messages, fc.constantFrom(...SIGNATURE_ENCODINGS), (privateKey, signed, encoding) =>
          isRight(privateKey, signed, encoding),
        ),
        { numRuns: harness.runs ?? 25 },
      );
    });

    it('signs with the shortest and the longest key that it accepts', () => {
      const { min, max } = getKeyLengths(signer.algorithm);
      const extremes = [min, max].map((length) => new Uint8Array(length).fill(7));
      for (const privateKey of harness.privateKeys ?? extremes) {
        const { length } = privateKey;
        expect(length).to.be.within(min, max);
        expect(isRight(privateKey, message), `${length} bytes`).to.equal(true);
        const key = expand(privateKey);
        expect(accepts(key, message, signer.sign(key, message, 'hex'), 'hex'), `${length} bytes`).to.equal(true);
      }
    });

    it('returns the same bytes in every encoding, with a 0x prefix only in 0x-hex', () => {
      const key = filled(8);
      const bytes = signatureBytes(signer.sign(key, message, 'base64'), 'base64');
      const hex = bytes.toString('hex');
      expect(signer.sign(key, message, '0x-hex')).to.equal(`0x${hex}`);
      expect(signer.sign(key, message, 'hex')).to.equal(hex);
      expect(signer.sign(key, message, 'base64')).to.equal(bytes.toString('base64'));
      expect(signer.sign(key, message, 'base64url')).to.equal(bytes.toString('base64url'));
      const padded = bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      expect(signer.sign(key, message, 'base64url-padded')).to.equal(padded);
    });

    it('is deterministic: one key and one message give one signature', () => {
      const key = filled(4);
      expect(signer.sign(key, message, 'hex')).to.equal(harness.make().sign(key, message, 'hex'));
    });

    it('verifies its own signatures and no others', () => {
      const [key, otherKey] = [filled(1), filled(2)];
      const otherMessage = Uint8Array.from(message);
      otherMessage[message.length - 1] = Number(message.at(-1)) ^ 1;
      for (const encoding of SIGNATURE_ENCODINGS) {
        const signature = signer.sign(key, message, encoding);
        expect(accepts(key, message, signature, encoding)).to.equal(true);
        expect(accepts(key, otherMessage, signature, encoding)).to.equal(false);
        expect(accepts(otherKey, message, signature, encoding)).to.equal(false);
        const malformed = [
          signature.slice(0, -1),
          signature.slice(2),
          `${signature}A`,
          `${signature}=`,
          ` ${signature}`,
        ];
        for (const text of [...malformed, `0x${signature}`, `0x0x${signature}`, '', '0x', '\u{1f600}']) {
          expect(accepts(key, message, text, encoding), `${encoding}: ${text}`).to.equal(false);
        }
      }
    });

    it('verifies a signature only in its own encoding', () => {
      const key = filled(1);
      for (const written of SIGNATURE_ENCODINGS) {
        const signature = signer.sign(key, message, written);
        for (const encoding of SIGNATURE_ENCODINGS) {
          const isSameText = encodeLike(signatureBytes(signature, written), encoding) === signature;
          expect(accepts(key, message, signature, encoding), `${written} as ${encoding}`).to.equal(isSameText);
        }
      }
    });

    if (signer.kind === 'public-key') {
      it('returns false for malformed public keys', () => {
        const signature = signer.sign(filled(1), message, 'hex');
        for (const publicKey of ['', 'nonsense', '0x', '\u{1f600}', signer.publicKey(filled(1)).slice(0, -1)]) {
          expect(signer.verify(publicKey, message, signature, 'hex')).to.equal(false);
        }
      });
    }

    it('derives a different public key for each private key, and always the same one', () => {
      const names = [1, 2, 3].map((byte) => signer.publicKey(filled(byte)));
      expect(new Set(names)).to.have.property('size', 3);
      expect(harness.make().publicKey(filled(1))).to.equal(names[0]);
    });

    it('detects a flipped bit at the start, in the middle and at the end of a signature', () => {
      const key = filled(3);
      const signature = Buffer.from(signer.sign(key, message, 'base64'), 'base64');
      const middle = signature.length >> 1;
      for (const index of [0, 1, middle - 1, middle, signature.length - 2, signature.length - 1]) {
        const altered = Buffer.from(signature);
        altered[index] = Number(altered[index]) ^ (1 << (index & 7));
        expect(accepts(key, message, altered.toString('base64'), 'base64'), `byte ${index}`).to.equal(false);
      }
    });

    if (harness.messages === undefined) {
      it('signs the empty message and a long one', () => {
        for (const signed of [Buffer.alloc(0), Buffer.alloc(100_000, 0x61)]) {
          expect(isRight(sampleKey(5), signed)).to.equal(true);
        }
      });
    }

    it('neither signs nor verifies messages that it does not support', () => {
      const key = filled(5);
      const signature = signer.sign(key, message, 'hex');
      for (const foreign of harness.foreignMessages ?? []) {
        const name = Buffer.from(foreign).toString('hex');
        expect(() => signer.sign(key, foreign, 'hex'), name).to.throw(Error);
        expect(accepts(key, foreign, signature, 'hex'), name).to.equal(false);
      }
    });

    it('leaves private key, signing key and message unchanged', () => {
      const privateKey = Uint8Array.from(sampleKey(6));
      const key = expand(privateKey);
      const [keyBefore, messageBefore] = [Buffer.from(key), Buffer.from(message)];
      signer.publicKey(key);
      accepts(key, message, signer.sign(key, message, 'hex'), 'hex');
      expect(privateKey).to.deep.equal(Uint8Array.from(sampleKey(6)));
      expect(key).to.deep.equal(keyBefore);
      expect(Buffer.from(message)).to.deep.equal(messageBefore);
    });

    it('rejects invalid private keys without revealing them', () => {
      for (const invalid of harness.invalidKeys) {
        const name = Buffer.from(invalid).toString('hex');
        expect(() => expand(invalid), name)
          .to.throw(InvalidPrivateKeyError)
          .with.property('message')
          .that.does.not.include(name);
      }
    });
  });
}

/** A key for each number, different for 1 to 3, and any private keys. */
function keysOf(
  { privateKeys }: SignerHarness,
  { algorithm }: Signer,
): readonly [(number: number) => Uint8Array, fc.Arbitrary<Uint8Array>] {
  if (privateKeys !== undefined) {
    const keyAt = (number: number) => privateKeys[number % privateKeys.length] ?? Uint8Array.of();
    return [keyAt, fc.constantFrom(...privateKeys)];
  }
  const { min, max } = getKeyLengths(algorithm);
  // 32 bytes are a valid key of every other algorithm; below every group order, so that each is
  // valid.
  return [
    (number) => new Uint8Array(32).fill(number).fill(1, 0, 1),
    fc
      .uint8Array({ minLength: min, maxLength: Math.min(max, Math.max(min, LONGEST_RANDOM_KEY)) })
      .map((bytes) => Uint8Array.of(1, ...bytes.subarray(1))),
  ];
}
