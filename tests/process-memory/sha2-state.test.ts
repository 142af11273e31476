import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { secretsOfKey } from './secrets.ts';
import { sha2State } from './sha2-state.ts';

/** Padding of FIPS 180-4 §5.1. */
function padded(message: Buffer, length: number, blockBytes: number): Buffer {
  const total = blockBytes * Math.ceil((message.length + 1 + blockBytes / 8) / blockBytes);
  const bytes = Buffer.concat([message, Buffer.of(0x80), Buffer.alloc(total - message.length - 1)]);
  bytes.writeBigUInt64BE(8n * BigInt(length), total - 8);
  return bytes;
}

for (const [hash, blockBytes] of [
  ['sha256', 64],
  ['sha384', 128],
  ['sha512', 128],
] as const) {
  describe(`The state of ${hash}`, () => {
    it("is OpenSSL's digest after the padded message", () => {
      for (const length of [0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 300]) {
        const message = randomBytes(length);
        const digest = createHash(hash).update(message).digest();
        // The digest of SHA-384 is the first 48 bytes of its state.
        const state = sha2State(hash, padded(message, length, blockBytes));
        expect(state.subarray(0, digest.length), `${length} bytes`).to.deep.equal(digest);
      }
    });
  });

  describe(`The secrets of a key for HMAC with ${hash}`, () => {
    const rawBytes = (key: Buffer, name: string): Buffer => {
      const secret = secretsOfKey('owner', `hmac-${hash}`, key).find((candidate) => candidate.name === name);
      return Buffer.concat(secret?.forms.find((form) => form.name === 'raw')?.parts ?? []);
    };

    for (const length of [20, 32, blockBytes, blockBytes + 1, 500]) {
      it(`contain the states after its first blocks, for ${length} bytes`, () => {
        const key = randomBytes(length);
        const short = length > blockBytes ? createHash(hash).update(key).digest() : key;
        const block = (fill: number) =>
          Buffer.concat([short, Buffer.alloc(blockBytes - short.length)]).map((byte) => byte ^ fill);
        expect(rawBytes(key, 'HMAC inner state')).to.deep.equal(sha2State(hash, Buffer.from(block(0x36))));
        expect(rawBytes(key, 'HMAC outer state')).to.deep.equal(sha2State(hash, Buffer.from(block(0x5c))));
      });
    }

    it('contain the digest that replaces a key longer than a block, and no other digest', () => {
      const key = randomBytes(blockBytes + 1);
      expect(rawBytes(key, 'digest of the key')).to.deep.equal(createHash(hash).update(key).digest());
      expect(rawBytes(key.subarray(1), 'digest of the key')).to.have.length(0);
    });
  });
}
