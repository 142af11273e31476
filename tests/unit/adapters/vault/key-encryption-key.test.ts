import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  KeyEncryptionKey,
  openSecret,
  sealSecret,
  secretLength,
} from '../../../../src/adapters/vault/key-encryption-key.ts';

describe('KeyEncryptionKey', () => {
  let key: KeyEncryptionKey;

  beforeEach(() => {
    key = new KeyEncryptionKey();
  });
  afterEach(() => key.free());

  /** A copy, which only a test may make. */
  const bytesOf = (generation: number) => key.use(generation, (bytes) => Buffer.from(bytes));

  it('is the same 32 bytes at each use, even after a pause', async () => {
    const first = bytesOf(1);
    expect(first).to.have.length(32);
    expect(bytesOf(1)).to.deep.equal(first);
    for (const pause of [0, 5, 40]) {
      await sleep(pause);
      expect(bytesOf(1)).to.deep.equal(first);
    }
  });

  it('is different in each process and store', () => {
    const other = new KeyEncryptionKey();
    expect(other.use(1, (bytes) => Buffer.from(bytes))).not.to.deep.equal(bytesOf(1));
    other.free();
  });

  it('changes with each generation, and keeps the previous key until it is forgotten', async () => {
    const first = bytesOf(1);
    key.advance();
    expect(key.generation).to.equal(2);
    const second = bytesOf(2);
    expect(second).not.to.deep.equal(first);
    await sleep(40);
    expect(bytesOf(1)).to.deep.equal(first);
    expect(bytesOf(2)).to.deep.equal(second);
    key.forgetPrevious();
    expect(() => bytesOf(1)).to.throw('Generation 1 of the key-encryption key no longer exists.');
    expect(bytesOf(2)).to.deep.equal(second);
  });

  it('goes through many generations', () => {
    const seen = new Set<string>();
    for (let generation = 1; generation <= 20; generation += 1) {
      seen.add(bytesOf(generation).toString('hex'));
      key.advance();
      key.forgetPrevious();
    }
    expect(seen.size).to.equal(20);
    for (const forgotten of [0, 1, 20, 22, Number.NaN]) expect(() => bytesOf(forgotten)).to.throw('no longer exists');
  });

  it('does not start a generation while two are in use', () => {
    key.advance();
    expect(() => key.advance()).to.throw('still in use');
    expect(key.generation).to.equal(2);
  });

  it('is unusable once freed, immediately and later', async () => {
    bytesOf(1);
    key.free();
    key.free();
    expect(() => bytesOf(1)).to.throw();
    await sleep(40);
    expect(() => bytesOf(1)).to.throw();
    expect(() => key.advance()).to.throw();
  });
});

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

  it('contains nothing of the secret', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        return !sealSecret(secret, CONTEXT, KEY).includes(secret.subarray(0, 8));
      }),
    );
  });

  it('is never the same twice, because its nonce is unique', () => {
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
