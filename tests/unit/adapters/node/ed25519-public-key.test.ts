import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import {
  decodePublicKeyPem,
  encodePublicKeyPem,
  toPublicKeyObject,
} from '../../../../src/adapters/node/ed25519-public-key.ts';

describe('Ed25519 public keys', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

  it('converts 32 bytes to a key object and to the PEM that OpenSSL writes', () => {
    expect(toPublicKeyObject(raw)?.equals(publicKey)).to.equal(true);
    expect(encodePublicKeyPem(raw)).to.equal(pemOf(publicKey));
  });

  it('decodes the 32 bytes from PEM', () => {
    expect(decodePublicKeyPem(pemOf(publicKey))).to.deep.equal(raw);
  });

  it('rejects other lengths', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(toPublicKeyObject(Buffer.alloc(length))).to.equal(null);
      expect(() => encodePublicKeyPem(Buffer.alloc(length))).to.throw(RangeError);
    }
  });

  it('rejects keys of other curves and text that is not a key', () => {
    const others = [
      generateKeyPairSync('x25519').publicKey,
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
    ];
    for (const other of others) expect(decodePublicKeyPem(pemOf(other))).to.equal(null);
    expect(decodePublicKeyPem('')).to.equal(null);
    expect(decodePublicKeyPem('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n')).to.equal(null);
  });
});
