import { computeHashOnElements, poseidonHashMany } from '@scure/starknet';
import { expect } from 'chai';
import fc from 'fast-check';
import { HASH_OF_REVISION } from '../../../../src/adapters/signing/starknet-hashes.ts';

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

const felts = fc.array(fc.oneof(fc.constantFrom(0n, 1n, 2n ** 248n, PRIME - 1n), fc.bigInt(0n, PRIME - 1n)), {
  maxLength: 10,
});

describe('Hash functions of SNIP-12', () => {
  it('are those of @scure/starknet, at first and from memory', () => {
    fc.assert(
      fc.property(felts, (list) => {
        const [pedersen, poseidon] = [BigInt(String(computeHashOnElements(list))), poseidonHashMany(list)];
        for (let time = 0; time < 2; time += 1) {
          expect(HASH_OF_REVISION[0].hash(list)).to.equal(pedersen);
          expect(HASH_OF_REVISION[1].hash(list)).to.equal(poseidon);
        }
      }),
      { numRuns: 10 },
    );
  });
});
