import { computeHashOnElements, poseidonHashMany } from '@scure/starknet';
import { expect } from 'chai';
import fc from 'fast-check';
import { ScureStarknetHasher } from '../../../../src/adapters/signing/scure-starknet-hasher.ts';

const hasher = new ScureStarknetHasher();
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

const felts = fc.array(fc.oneof(fc.constantFrom(0n, 1n, 2n ** 248n, PRIME - 1n), fc.bigInt(0n, PRIME - 1n)), {
  maxLength: 10,
});

describe('ScureStarknetHasher', () => {
  it('has the hash functions of @scure/starknet, at first and from memory', () => {
    fc.assert(
      fc.property(felts, (list) => {
        const [pedersen, poseidon] = [BigInt(String(computeHashOnElements(list))), poseidonHashMany(list)];
        for (let time = 0; time < 2; time += 1) {
          expect(hasher.hash(0, list)).to.equal(pedersen);
          expect(hasher.hash(1, list)).to.equal(poseidon);
        }
      }),
      { numRuns: 10 },
    );
  });
});
