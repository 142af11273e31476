import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { StarkEcdsa } from '../../../../src/adapters/signing/stark-ecdsa.ts';
import { isStarkSignatureOfHash, STARK_ORDER, starkPublicKey } from '../../../contracts/stark-verification.ts';

interface Vector {
  readonly source: string;
  readonly privateKey: string;
  readonly publicKey?: string;
  readonly hash: string;
  readonly r: string;
  readonly s: string;
}

const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../../../vectors/stark-ecdsa.json', import.meta.url), 'utf8'),
).vectors;

const hash = fc.bigInt({ min: 0n, max: 2n ** 251n - 1n });
/** Hashes with few bits have another length in other implementations. */
const shortHash = fc.integer({ min: 0, max: 251 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) }));
const privateKey = fc.oneof(
  fc.bigInt({ min: 1n, max: STARK_ORDER - 1n }),
  fc.bigInt({ min: 1n, max: 300n }),
  fc.bigInt({ min: STARK_ORDER - 300n, max: STARK_ORDER - 1n }),
);

function toBytes(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

describe('StarkEcdsa', () => {
  const ecdsa = new StarkEcdsa();

  for (const [index, { source, privateKey: key, publicKey, hash: message, r, s }] of VECTORS.entries()) {
    it(`signs as ${source} does, ${index + 1}`, () => {
      const expected = Buffer.concat([toBytes(BigInt(r)), toBytes(BigInt(s))]);
      expect(ecdsa.sign(toBytes(BigInt(key)), toBytes(BigInt(message)))).to.deep.equal(expected);
      if (publicKey !== undefined) {
        expect(ecdsa.publicKey(toBytes(BigInt(key)))).to.deep.equal(toBytes(BigInt(publicKey)));
      }
    });
  }

  it('derives the public keys of plain arithmetic', () => {
    fc.assert(
      fc.property(privateKey, (key) => {
        expect(ecdsa.publicKey(toBytes(key))).to.deep.equal(toBytes(starkPublicKey(key)));
      }),
      { numRuns: 60 },
    );
  });

  it('creates signatures that plain arithmetic accepts', () => {
    fc.assert(
      fc.property(privateKey, fc.oneof(hash, shortHash), (key, message) => {
        const publicKey = `0x${starkPublicKey(key).toString(16)}`;
        const signature = ecdsa.sign(toBytes(key), toBytes(message));
        expect(isStarkSignatureOfHash(publicKey, message, signature)).to.equal(true);
        expect(isStarkSignatureOfHash(publicKey, message ^ 1n, signature)).to.equal(false);
      }),
      { numRuns: 40 },
    );
  });

  it('accepts private keys from 1 to the group order less 1', () => {
    for (const key of [1n, 2n ** 248n, STARK_ORDER - 1n]) expect(ecdsa.isPrivateKey(toBytes(key))).to.equal(true);
    for (const key of [0n, STARK_ORDER, STARK_ORDER + 255n, 2n ** 252n, 2n ** 256n - 1n]) {
      expect(ecdsa.isPrivateKey(toBytes(key))).to.equal(false);
    }
  });
});
