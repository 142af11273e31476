import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { DigestAlgorithm } from '../../../../src/domain/model/algorithm.ts';

const TWO_BLOCKS = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq';

/**
 * Hex digests: NIST's examples of SHA-256 and SHA-512 (FIPS 180-4), Keccak-256 of the noble-hashes
 * tests.
 */
const DIGESTS: readonly (readonly [DigestAlgorithm, string, string])[] = [
  ['sha256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha256', TWO_BLOCKS, '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
  [
    'sha512',
    'abc',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
  ['keccak256', '', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['keccak256', 'abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
];

describe('NodeHasher', () => {
  const hasher = new NodeHasher();

  for (const [algorithm, text, digest] of DIGESTS) {
    it(`returns the bytes of the published ${algorithm} of "${text}"`, () => {
      const bytes = hasher.digest(algorithm, new TextEncoder().encode(text));
      expect(bytes).to.be.instanceOf(Uint8Array);
      expect(Buffer.from(bytes).toString('hex')).to.equal(digest);
      if (algorithm === 'sha256') expect(hasher.sha256(text)).to.equal(`sha256:${digest}`);
    });
  }

  it('hashes only the bytes of a view, and leaves the others unchanged', () => {
    const content = new TextEncoder().encode('xabcx');
    for (const algorithm of ['sha256', 'sha512', 'keccak256'] as const) {
      const ofView = hasher.digest(algorithm, content.subarray(1, 4));
      expect(Buffer.from(ofView)).to.deep.equal(Buffer.from(hasher.digest(algorithm, content.slice(1, 4))));
    }
    expect(hasher.sha256(content.subarray(1, 4))).to.equal(hasher.sha256('abc'));
    expect(new TextDecoder().decode(content)).to.equal('xabcx');
  });

  it('hashes a string as UTF-8', () => {
    const utf8 = Uint8Array.of(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x94, 0x91);
    expect(hasher.sha256('é€🔑')).to.equal(hasher.sha256(utf8));
  });
});
