import { expect } from 'chai';
import type { Hasher } from '../../src/ports/hasher.ts';

/**
 * The examples of NIST for SHA-256 (FIPS 180-4, "SHA256.pdf" and "SHA2_Additional.pdf" of its Examples with Intermediate Values), and the
 * empty message of the SHA test vectors for byte-oriented messages (SHAVS, SHA256ShortMsg.rsp).
 */
const VECTORS: readonly (readonly [string, string, string])[] = [
  ['the empty message', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['"abc"', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'two blocks',
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['55 zero bytes', '\0'.repeat(55), '02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7'],
  ['56 zero bytes', '\0'.repeat(56), 'd4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb'],
  ['64 zero bytes', '\0'.repeat(64), 'f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b'],
  ['a million of "a"', 'a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
];

/** What every Hasher has to do. */
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

    it('hashes the byte 0xbd to the published digest', () => {
      expect(make().sha256(Uint8Array.of(0xbd))).to.equal(
        'sha256:68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b',
      );
    });

    it('hashes a text by its UTF-8', () => {
      const utf8 = Uint8Array.of(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x94, 0x91);
      expect(make().sha256('é€🔑')).to.equal(make().sha256(utf8));
    });

    it('hashes only the bytes of a view', () => {
      const view = new TextEncoder().encode('xabcx').subarray(1, 4);
      expect(make().sha256(view)).to.equal(make().sha256('abc'));
    });
  });
}
