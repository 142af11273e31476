import { expect } from 'chai';
import fc from 'fast-check';
import { StarknetSigner } from '../../../../src/adapters/signing/starknet-signer.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { isStarkSignature, STARK_ORDER } from '../../../contracts/stark-verification.ts';

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

function toBytes(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

function messageOf(revision: number, ...felts: readonly bigint[]): Buffer {
  return Buffer.concat([Buffer.of(revision), ...felts.map(toBytes)]);
}

const PREFIX = BigInt(`0x${Buffer.from('StarkNet Message').toString('hex')}`);
const felt = fc.bigInt({ min: 0n, max: PRIME - 1n });

describeSignerContract('StarknetSigner', {
  make: () => new StarknetSigner(),
  invalidKeys: [0n, STARK_ORDER, STARK_ORDER + 1n, 2n ** 252n, 2n ** 256n - 1n].map(toBytes),
  messages: fc
    .tuple(fc.constantFrom(0, 1), felt, felt, felt)
    .map(([revision, ...felts]) => new Uint8Array(messageOf(revision, PREFIX, ...felts))),
  foreignMessages: [
    Buffer.alloc(0),
    Buffer.alloc(129),
    toBytes(7n),
    messageOf(0, PREFIX, 1n, 2n),
    messageOf(1, PREFIX, 1n, 2n, 3n, 4n),
    messageOf(2, PREFIX, 1n, 2n, 3n),
    messageOf(1, BigInt(`0x${Buffer.from('invoke').toString('hex')}`), 1n, 2n, 3n),
    messageOf(1, PREFIX + 1n, 1n, 2n, 3n),
    messageOf(1, PREFIX, PRIME, 2n, 3n),
    messageOf(1, PREFIX, 1n, 2n ** 256n - 1n, 3n),
    messageOf(0, PREFIX, 1n, 2n, PRIME),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isStarkSignature(publicKey, message, signature),
  runs: 5,
});

describe('StarknetSigner', () => {
  const signer = new StarknetSigner();

  it('rejects a public key that is no x coordinate of the curve, and another notation', () => {
    const key = toBytes(5n);
    const signature = signer.sign(key, signer.probe, 'hex');
    const publicKey = signer.publicKey(key);
    const without = `0x${(BigInt(publicKey) + 1n).toString(16).padStart(64, '0')}`;
    for (const other of [without, publicKey.toUpperCase(), `0x${PRIME.toString(16)}`, publicKey.slice(2)]) {
      expect(signer.verify(other, signer.probe, signature, 'hex'), other).to.equal(false);
    }
  });
});
