import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { keccak256 as ethersKeccak256 } from 'ethers/crypto';
import { keccak256 } from '../../../../src/adapters/signing/ethereum-address.ts';

/** Block size of the sponge: 1600 bits less twice 256. */
const RATE = 136;

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

/** A fresh module, before its WebAssembly is compiled. */
async function freshKeccak256() {
  const url = new URL('../../../../src/adapters/signing/ethereum-address.ts', import.meta.url);
  const { keccak256: fresh } = await import(`${url.href}?fresh=${Math.random()}`);
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

  it('hashes empty input to the empty code hash of Ethereum (EIP-1052)', () => {
    const expected = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
    expect(hex(keccak256())).to.equal(expected);
    expect(hex(keccak256(new Uint8Array()))).to.equal(expected);
  });

  it('matches ethers for messages around the block length, in one part and in two', () => {
    for (let length = 0; length <= 3 * RATE + 1; length += 1) {
      const message = Buffer.from(Array.from({ length }, (_, index) => (index * 7 + length) % 256));
      const expected = ethersKeccak256(message);
      expect(hex(keccak256(message))).to.equal(expected);
      const cut = length % (RATE + 1);
      expect(hex(keccak256(message.subarray(0, cut), message.subarray(cut)))).to.equal(expected);
    }
  });

  it('hashes a long message, and leaves earlier results unchanged', () => {
    const message = Buffer.alloc(1_000_000, 'long');
    const first = keccak256(message);
    const expected = ethersKeccak256(message);
    keccak256(Buffer.from('another'));
    expect(hex(first)).to.equal(expected);
  });
});
