import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { isRsaSignature, readRsaPublicKey } from '../../../src/client/rsa-signature.ts';
import { toKeyKind } from '../../../src/client/signature-check.ts';
import { RSA_KEYS } from '../../vectors/rsa-keys.ts';

const spkiOf = (pem: string): string => createPublicKey(pem).export({ format: 'der', type: 'spki' }).toString('base64');

describe('RSA public keys of the client', () => {
  const message = Buffer.from('message');

  it('verify signatures of OpenSSL, and no others', () => {
    for (const [index, pem] of RSA_KEYS.entries()) {
      const text = spkiOf(pem);
      const key = readRsaPublicKey(text);
      if (key === null) throw new Error('The key should be readable.');
      const signature = sign('sha256', message, pem);
      expect(toKeyKind(text)).to.equal('rsa');
      expect(key.bytes).to.equal([256, 256, 384, 512][index]);
      expect(isRsaSignature(key, message, signature)).to.equal(true);
      expect(isRsaSignature(key, Buffer.from('other'), signature)).to.equal(false);
      expect(isRsaSignature(key, message, sign('sha512', message, pem))).to.equal(false);
      expect(isRsaSignature(key, message, signature.subarray(1))).to.equal(false);
    }
  });

  it('are RSA keys of 2048 to 4096 bits in base64', () => {
    const text = spkiOf(RSA_KEYS[0] ?? '');
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    for (const other of [
      '',
      'MII',
      `${text}\n`,
      text.slice(4),
      small.export({ format: 'der', type: 'spki' }).toString('base64'),
    ]) {
      expect(readRsaPublicKey(other), other).to.equal(null);
      expect(toKeyKind(other), other).to.equal('unknown');
    }
  });
});
