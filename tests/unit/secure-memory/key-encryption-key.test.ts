import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { KeyEncryptionKey } from '../../../src/secure-memory/key-encryption-key.ts';

describe('KeyEncryptionKey', () => {
  let key: KeyEncryptionKey;

  beforeEach(() => {
    key = new KeyEncryptionKey();
  });
  afterEach(() => key.free());

  /** A copy, which only a test may make. */
  const bytesOf = (generation: number) => key.use(generation, (bytes) => Buffer.from(bytes));

  it('is 32 bytes, the same at each use, however long it was not used', async () => {
    const first = bytesOf(1);
    expect(first).to.have.length(32);
    expect(bytesOf(1)).to.deep.equal(first);
    for (const pause of [0, 5, 40]) {
      await sleep(pause);
      expect(bytesOf(1)).to.deep.equal(first);
    }
  });

  it('is another one in each process and store', () => {
    const other = new KeyEncryptionKey();
    expect(other.use(1, (bytes) => Buffer.from(bytes))).not.to.deep.equal(bytesOf(1));
    other.free();
  });

  it('becomes another one with a new generation, and the one before stays for as long as it is needed', async () => {
    const first = bytesOf(1);
    key.advance();
    expect(key.generation).to.equal(2);
    const second = bytesOf(2);
    expect(second).not.to.deep.equal(first);
    await sleep(40);
    expect(bytesOf(1)).to.deep.equal(first);
    expect(bytesOf(2)).to.deep.equal(second);
    key.forgetPrevious();
    expect(() => bytesOf(1)).to.throw('Generation 1 of the key-encryption key is forgotten.');
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
    for (const forgotten of [0, 1, 20, 22, Number.NaN]) expect(() => bytesOf(forgotten)).to.throw('is forgotten');
  });

  it('does not begin a generation while two are in use', () => {
    key.advance();
    expect(() => key.advance()).to.throw('still in use');
    expect(key.generation).to.equal(2);
  });

  it('is gone when freed, right after it was used and later', async () => {
    bytesOf(1);
    key.free();
    key.free();
    expect(() => bytesOf(1)).to.throw();
    await sleep(40);
    expect(() => bytesOf(1)).to.throw();
    expect(() => key.advance()).to.throw();
  });
});
