import { expect } from 'chai';
import fc from 'fast-check';
import { Ecdsa } from '../../../../src/adapters/signing/ecdsa.ts';
import { P256_CURVE } from '../../../../src/adapters/signing/es256-signer.ts';
import { STARK_CURVE } from '../../../../src/adapters/signing/stark-curve.ts';
import { isStarkSignatureOfHash, STARK_ORDER, starkPublicKey } from '../../../contracts/stark-verification.ts';
import { nonceOf, P256 } from '../../../memory/nonces.ts';
import { readProjectFile } from '../../../project-root.ts';
import { GROUP_ORDER } from './p256-order.ts';

interface Vector {
  readonly source: string;
  readonly privateKey: string;
  readonly publicKey?: string;
  readonly hash: string;
  readonly r: string;
  readonly s: string;
}

const VECTORS: readonly Vector[] = JSON.parse(readProjectFile('tests/vectors/stark-ecdsa.json')).vectors;

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

describe('Ecdsa over the Stark curve', () => {
  const ecdsa = new Ecdsa(STARK_CURVE);

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
      { numRuns: 10 },
    );
  });

  it('creates signatures that plain arithmetic accepts', () => {
    fc.assert(
      fc.property(privateKey, fc.oneof(hash, shortHash), (key, message) => {
        const publicKey = `0x${starkPublicKey(key).toString(16)}`;
        const signature = ecdsa.sign(toBytes(key), toBytes(message));
        expect(isStarkSignatureOfHash(publicKey, message, signature)).to.equal(true);
      }),
      { numRuns: 10 },
    );
  });

  it('accepts private keys from 1 to the group order less 1', () => {
    for (const key of [1n, 2n ** 248n, STARK_ORDER - 1n]) expect(ecdsa.isPrivateKey(toBytes(key))).to.equal(true);
    for (const key of [0n, STARK_ORDER, STARK_ORDER + 255n, 2n ** 252n, 2n ** 256n - 1n]) {
      expect(ecdsa.isPrivateKey(toBytes(key))).to.equal(false);
    }
  });
});

describe('Ecdsa over P-256', () => {
  const ecdsa = new Ecdsa(P256_CURVE);
  const order = BigInt(`0x${GROUP_ORDER}`);
  const key = fc.oneof(fc.bigInt({ min: 1n, max: order - 1n }), fc.bigInt({ min: order - 300n, max: order - 1n }));
  const anyHash = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: order, max: order + 300n }));

  it('signs each hash of 32 bytes, also above the group order, so that the nonce can be recovered', () => {
    fc.assert(
      fc.property(key, anyHash, (privateKey, message) => {
        const signature = `0x${ecdsa.sign(toBytes(privateKey), toBytes(message)).toString('hex')}`;
        const recover = (digest: bigint) => nonceOf(toBytes(privateKey), `0x${digest.toString(16)}`, signature, P256);
        expect(() => recover(message)).not.to.throw();
        expect(() => recover(message ^ 1n)).to.throw();
      }),
      { numRuns: 30 },
    );
  });

  it('signs a hash and its remainder modulo the group order alike (RFC 6979 §2.3.4)', () => {
    const privateKey = toBytes(12345n);
    expect(ecdsa.sign(privateKey, toBytes(order + 7n))).to.deep.equal(ecdsa.sign(privateKey, toBytes(7n)));
  });
});
