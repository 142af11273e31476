import { expect } from 'chai';
import fc from 'fast-check';
import { openSecret, sealSecret, secretLength } from '../../../src/secure-memory/sealed-secret.ts';

const KEY = Buffer.alloc(32, 1);
const CONTEXT = Buffer.from('context');

describe('A sealed secret', () => {
  const secrets = fc.uint8Array({ minLength: 16, maxLength: 128 }).map((bytes) => Buffer.from(bytes));

  it('opens to the same bytes with the same key and context', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const sealed = sealSecret(secret, CONTEXT, KEY);
        const opened = Buffer.alloc(secretLength(sealed));
        openSecret(sealed, CONTEXT, KEY, opened);
        return opened.equals(secret);
      }),
    );
  });

  it('holds nothing of the secret', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        return !sealSecret(secret, CONTEXT, KEY).includes(secret.subarray(0, 8));
      }),
    );
  });

  it('is never the same twice, because its nonce is not', () => {
    const secret = Buffer.alloc(32, 7);
    const sealed = Array.from({ length: 100 }, () => sealSecret(secret, CONTEXT, KEY));
    const [nonces, ciphertexts] = [sealed.map((one) => one.subarray(0, 24)), sealed.map((one) => one.subarray(24))];
    expect(new Set(nonces.map((nonce) => nonce.toString('hex'))).size).to.equal(100);
    expect(new Set(ciphertexts.map((ciphertext) => ciphertext.toString('hex'))).size).to.equal(100);
  });

  it('does not open with another key, in another context, or altered', () => {
    const sealed = sealSecret(Buffer.alloc(32, 7), CONTEXT, KEY);
    const opened = Buffer.alloc(32);
    expect(() => openSecret(sealed, CONTEXT, Buffer.alloc(32, 2), opened)).to.throw();
    expect(() => openSecret(sealed, Buffer.from('contexT'), KEY, opened)).to.throw();
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => openSecret(altered, CONTEXT, KEY, opened), `byte ${index}`).to.throw();
    }
    expect(opened).to.deep.equal(Buffer.alloc(32));
  });
});
