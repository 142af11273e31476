import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import sodium from 'sodium-native';
import { KeyEncryptionKey } from '../../../../src/adapters/vault/key-encryption-key.ts';

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
