import { expect } from 'chai';
import type { DigestAlgorithm } from '../../src/domain/model/algorithm.ts';
import type { Hasher } from '../../src/ports/hasher.ts';

const TWO_BLOCKS = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq';

/**
 * NIST's examples of SHA-256 (FIPS 180-4, "SHA256.pdf", "SHA2_Additional.pdf"), and the empty
 * message of SHAVS, SHA256ShortMsg.rsp.
 */
const VECTORS: readonly (readonly [string, string, string])[] = [
  ['the empty message', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['"abc"', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['two blocks', TWO_BLOCKS, '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
  ['55 zero bytes', '\0'.repeat(55), '02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7'],
  ['56 zero bytes', '\0'.repeat(56), 'd4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb'],
  ['64 zero bytes', '\0'.repeat(64), 'f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b'],
  ['a million of "a"', 'a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
];

/** Hex digests: SHA-512 of the same documents, Keccak-256 of the noble-hashes tests. */
const DIGESTS: readonly (readonly [DigestAlgorithm, string, string])[] = [
  ['sha256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'sha512',
    '',
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
  ],
  [
    'sha512',
    'abc',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
  ['keccak256', '', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['keccak256', 'abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['keccak256', TWO_BLOCKS, '45d3b367a6904e6e8d502ee04999a7c27647f91fa845d456525fd352ae3d7371'],
];

/** Contract of every Hasher. */
export function describeHasherContract(name: string, make: () => Hasher): void {
  describe(`Hasher contract: ${name}`, () => {
    for (const [message, text, digest] of VECTORS) {
      it(`hashes ${message} to the published digest, as text and as bytes`, () => {
        expect(make().sha256(text)).to.equal(`sha256:${digest}`);
        expect(make().sha256(Uint8Array.from(text, (character) => character.charCodeAt(0)))).to.equal(
          `sha256:${digest}`,
        );
      });
    }

    for (const [algorithm, text, digest] of DIGESTS) {
      it(`returns the bytes of the published ${algorithm} of "${text}"`, () => {
        const bytes = make().digest(algorithm, new TextEncoder().encode(text));
        expect(bytes).to.be.instanceOf(Uint8Array);
        expect(Buffer.from(bytes).toString('hex')).to.equal(digest);
      });
    }

    it('digests only the bytes of a view, and leaves them unchanged', () => {
      const content = new TextEncoder().encode('xabcx');
      for (const algorithm of ['sha256', 'sha512', 'keccak256'] as const) {
        const ofView = make().digest(algorithm, content.subarray(1, 4));
        expect(Buffer.from(ofView)).to.deep.equal(Buffer.from(make().digest(algorithm, content.slice(1, 4))));
      }
      expect(new TextDecoder().decode(content)).to.equal('xabcx');
    });

    it('hashes the byte 0xbd to the published digest', () => {
      expect(make().sha256(Uint8Array.of(0xbd))).to.equal(
        'sha256:68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b',
      );
    });

    it('hashes a string as UTF-8', () => {
      const utf8 = Uint8Array.of(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x94, 0x91);
      expect(make().sha256('é€🔑')).to.equal(make().sha256(utf8));
    });

    it('hashes only the bytes of a view', () => {
      const view = new TextEncoder().encode('xabcx').subarray(1, 4);
      expect(make().sha256(view)).to.equal(make().sha256('abc'));
    });
  });
}
