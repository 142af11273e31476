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
        const { ciphertext, nonce } = sealSecret(secret, CONTEXT, KEY);
        return !Buffer.concat([ciphertext, nonce]).includes(secret.subarray(0, 8));
      }),
    );
  });

  it('is never the same twice, because its nonce is not', () => {
    const secret = Buffer.alloc(32, 7);
    const sealed = Array.from({ length: 100 }, () => sealSecret(secret, CONTEXT, KEY));
    expect(new Set(sealed.map(({ nonce }) => nonce.toString('hex'))).size).to.equal(100);
    expect(new Set(sealed.map(({ ciphertext }) => ciphertext.toString('hex'))).size).to.equal(100);
  });

  it('does not open with another key, in another context, or altered', () => {
    const sealed = sealSecret(Buffer.alloc(32, 7), CONTEXT, KEY);
    const opened = Buffer.alloc(32);
    expect(() => openSecret(sealed, CONTEXT, Buffer.alloc(32, 2), opened)).to.throw();
    expect(() => openSecret(sealed, Buffer.from('contexT'), KEY, opened)).to.throw();
    for (let index = 0; index < sealed.ciphertext.length; index += 1) {
      const ciphertext = Buffer.from(sealed.ciphertext);
      ciphertext[index] = (ciphertext[index] ?? 0) ^ 1;
      expect(() => openSecret({ ...sealed, ciphertext }, CONTEXT, KEY, opened), `byte ${index}`).to.throw();
    }
    expect(opened).to.deep.equal(Buffer.alloc(32));
  });
});
