import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { keccak256 as ethersKeccak256 } from 'ethers/crypto';
import { keccak256 } from '../../../../src/adapters/node/node-hasher.ts';

/** Block size of the sponge: 1600 bits less twice 256. */
const RATE = 136;

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

/** A fresh module, before its WebAssembly is compiled. */
async function freshKeccak256() {
  const url = import.meta.resolve('../../../../src/adapters/node/node-hasher.js');
  const { keccak256: fresh } = await import(`${url}?fresh=${Math.random()}`);
  return fresh as typeof keccak256;
}

describe('keccak256', () => {
  it('returns the same hash before and after its WebAssembly is compiled', async () => {
    const fresh = await freshKeccak256();
    const parts = [Buffer.from('one '), Buffer.from('message')];
    const before = hex(fresh(...parts));
    expect(before).to.equal(ethersKeccak256(Buffer.concat(parts)));
    await sleep(50);
    expect(hex(fresh(...parts))).to.equal(before);
  });

  it('matches ethers for messages around the block length, in no, one and two parts', () => {
    expect(hex(keccak256())).to.equal(ethersKeccak256(new Uint8Array()));
    for (const length of [0, 1, RATE - 1, RATE, RATE + 1, 2 * RATE, 3 * RATE + 1, 100_000]) {
      const message = Buffer.from(Array.from({ length }, (_, index) => (index * 7 + length) % 256));
      const expected = ethersKeccak256(message);
      const hash = keccak256(message);
      const cut = length >> 1;
      expect(hex(keccak256(message.subarray(0, cut), message.subarray(cut)))).to.equal(expected);
      expect(hex(hash), 'also after the next hash').to.equal(expected);
    }
  });
});
