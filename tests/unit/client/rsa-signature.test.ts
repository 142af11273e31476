import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { SCHEMES } from '../../../src/client/signature-schemes.ts';
import { RSA_KEYS } from '../../vectors/rsa-keys.ts';

const spkiOf = (pem: string): string => createPublicKey(pem).export({ format: 'der', type: 'spki' }).toString('base64');

const { isKey, verify } = SCHEMES.rsa;

describe('RSA public keys of the client', () => {
  const message = Buffer.from('message');

  it('verify signatures of OpenSSL, and no others', async () => {
    for (const [index, pem] of RSA_KEYS.entries()) {
      const text = spkiOf(pem);
      const bytes = [256, 256, 384, 512][index];
      const isSignature = (content: Buffer, signature: Buffer) =>
        verify?.(text, content, (length) => (length === bytes ? [signature] : []));
      const signature = sign('sha256', message, pem);
      expect(isKey(text)).to.equal(true);
      expect(await isSignature(message, signature)).to.equal(true);
      expect(await isSignature(Buffer.from('other'), signature)).to.equal(false);
      expect(await isSignature(message, sign('sha512', message, pem))).to.equal(false);
      expect(await isSignature(message, signature.subarray(1))).to.equal(false);
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
      expect(isKey(other), other).to.equal(false);
    }
  });
});
