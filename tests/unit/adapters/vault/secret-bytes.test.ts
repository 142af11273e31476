import { expect } from 'chai';
import { openSecret, sealSecret, secretLength } from '../../../../src/adapters/vault/secret-bytes.ts';

const KEY = Buffer.alloc(32, 1);
const CONTEXT = Buffer.from('context');

describe('A sealed secret', () => {
  it('is never the same twice, because its nonce is unique', () => {
    const secret = Buffer.alloc(32, 7);
    const sealed = Array.from({ length: 100 }, () => sealSecret(secret, CONTEXT, KEY));
    expect(new Set(sealed.map((one) => one.toString('hex', 0, 24))).size).to.equal(100);
    expect(new Set(sealed.map((one) => one.toString('hex', 24))).size).to.equal(100);
  });

  it('does not open with another key, in another context, or altered', () => {
    const sealed = sealSecret(Buffer.alloc(32, 7), CONTEXT, KEY);
    const opened = Buffer.alloc(secretLength(sealed));
    expect(() => openSecret(sealed, CONTEXT, Buffer.alloc(32, 2), opened)).to.throw();
    expect(() => openSecret(sealed, Buffer.from('contexT'), KEY, opened)).to.throw();
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => openSecret(altered, CONTEXT, KEY, opened), `byte ${index}`).to.throw();
    }
    expect(opened).to.deep.equal(Buffer.alloc(32));
    openSecret(sealed, CONTEXT, KEY, opened);
    expect(opened).to.deep.equal(Buffer.alloc(32, 7));
  });
});
