import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import {
  decodePublicKeyPem,
  encodePublicKeyPem,
  toPublicKeyObject,
} from '../../../../src/adapters/node/ed25519-public-key.ts';

describe('Ed25519 public keys', () => {
  it('are rejected with another length, of another curve, and as text that is not a key', () => {
    for (const length of [31, 33]) {
      expect(toPublicKeyObject(Buffer.alloc(length))).to.equal(null);
      expect(() => encodePublicKeyPem(Buffer.alloc(length))).to.throw(RangeError);
    }
    const { publicKey } = generateKeyPairSync('x25519');
    for (const text of ['', String(publicKey.export({ type: 'spki', format: 'pem' }))])
      expect(decodePublicKeyPem(text)).to.equal(null);
  });
});
