import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import sodium from 'sodium-native';
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

  it('is wiped in its locked memory once it was not used for a while', async () => {
    const locked = key.use(1, (bytes) => bytes);
    sodium.sodium_mprotect_readonly(locked);
    expect(locked).not.to.deep.equal(Buffer.alloc(32));
    await sleep(40);
    sodium.sodium_mprotect_readonly(locked);
    expect(locked).to.deep.equal(Buffer.alloc(32));
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

  it('has no generation before the previous or after the current one, and starts none while two are in use', () => {
    key.advance();
    expect(() => key.advance()).to.throw('still in use');
    key.forgetPrevious();
    key.advance();
    for (const generation of [1, 4, Number.NaN]) expect(() => bytesOf(generation)).to.throw('no longer exists');
    expect(bytesOf(2)).not.to.deep.equal(bytesOf(3));
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
