import { expect } from 'chai';
import { keyContext, SodiumKeyStore } from '../../../../src/adapters/vault/sodium-key-store.ts';
import { describeKeyStoreContract } from '../../../contracts/key-store-contract.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';

describeKeyStoreContract('SodiumKeyStore', () => new SodiumKeyStore());
describeKeyStoreContract('MockKeyStore', () => new MockKeyStore());

describe('SodiumKeyStore', () => {
  const identity = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

  it('wipes the scratch memory when the action ends, also when it throws', () => {
    const store = new SodiumKeyStore();
    const handle = store.create(identity, 32, (secret) => secret.fill(0xa5));
    const other = store.create(identity, 1, (secret) => secret.fill(1));
    let lent: Uint8Array = new Uint8Array();
    store.use(handle, (secret) => {
      lent = secret;
      expect(secret).to.deep.equal(Buffer.alloc(32, 0xa5));
    });
    expect(() =>
      store.use(handle, () => {
        throw new Error('stop');
      }),
    ).to.throw('stop');
    // The scratch buffer is readable while another key is open.
    store.use(other, () => expect([...lent.subarray(1)]).to.deep.equal(new Array(31).fill(0)));
    store.purge();
  });

  it('rejects invalid lengths and lengths too large for its memory', () => {
    const store = new SodiumKeyStore();
    for (const length of [0, -1, 1.5, 2401, Number.NaN]) {
      expect(() => store.create(identity, length, () => undefined), String(length)).to.throw(RangeError);
    }
    store.purge();
  });

  it('resumes a refresh that failed, without losing a key', async () => {
    const store = new SodiumKeyStore();
    const handles = [1, 2, 3].map((byte) => store.create(identity, 32, (secret) => secret.fill(byte)));
    const first = handles[0] ?? { id: '' };
    // Not re-entrant: a refresh during a use fails.
    const failed = store.use(first, () => ({ refresh: store.refresh() }));
    const error = await failed.refresh.catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Error);
    await store.refresh();
    await store.refresh();
    expect(handles.map((handle) => store.use(handle, (secret) => secret[31]))).to.deep.equal([1, 2, 3]);
    store.purge();
  });

  it('keeps a key of the service itself through refreshes, and counts only keys of accounts', async () => {
    const store = new SodiumKeyStore();
    const own = store.create({ ...identity, algorithm: null }, 32, (secret) => secret.fill(7));
    const other = store.create(identity, 32, (secret) => secret.fill(8));
    await store.refresh();
    expect(store.use(own, (secret) => secret[31])).to.equal(7);
    expect(store.protection.keys).to.equal(1);
    for (const handle of [own, own]) store.discard(handle);
    expect(store.protection.keys).to.equal(1);
    store.discard(other);
    expect(store.protection.keys).to.equal(0);
    store.purge();
  });
});

describe('keyContext', () => {
  const identity = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

  it('matches the documentation', () => {
    expect(keyContext('1', identity).toString()).to.equal('["1","alpha","main","ed25519"]');
  });

  it('differs with the id or any part of the identity', () => {
    const contexts = [
      keyContext('1', identity),
      keyContext('2', identity),
      keyContext('1', { ...identity, platformId: 'beta' }),
      keyContext('1', { ...identity, accountId: 'other' }),
      keyContext('1', { ...identity, algorithm: 'eip191' }),
      keyContext('1', { ...identity, platformId: 'alpha","main', accountId: '' }),
      keyContext('1', { ...identity, platformId: 'main', accountId: 'alpha' }),
    ].map(String);
    expect(new Set(contexts).size).to.equal(contexts.length);
  });
});
