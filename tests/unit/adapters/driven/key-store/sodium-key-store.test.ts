import { inspect } from 'node:util';
import { expect } from 'chai';
import { SodiumKeyStore } from '../../../../../src/adapters/driven/key-store/sodium-key-store.ts';
import { describeKeyStoreContract } from '../../../../contracts/key-store-contract.ts';
import { MockKeyStore } from '../../../../doubles/mock-key-store.ts';

describeKeyStoreContract('SodiumKeyStore', () => new SodiumKeyStore());
describeKeyStoreContract('MockKeyStore', () => new MockKeyStore());

describe('SodiumKeyStore', () => {
  const identity = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

  it('wipes the memory that it lent when the action ends, also when it throws', () => {
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
    // The scratch is readable only while some key is open: what is left of the first key shows then.
    store.use(other, () => expect([...lent.subarray(1)]).to.deep.equal(new Array(31).fill(0)));
    store.purge();
  });

  it('shows nothing of a key to util.inspect', () => {
    const store = new SodiumKeyStore();
    store.create(identity, 32, (secret) => secret.fill(0xa5));
    expect(inspect(store, { depth: 10, showHidden: true })).not.to.match(/a5 a5|a5a5|165, 165/);
    store.purge();
  });

  it('refuses lengths that are none or too large for its memory', () => {
    const store = new SodiumKeyStore();
    for (const length of [0, -1, 1.5, 1025, Number.NaN]) {
      expect(() => store.create(identity, length, () => undefined), String(length)).to.throw(RangeError);
    }
    store.purge();
  });

  it('goes on with a refresh that an error ended, and loses no key by it', async () => {
    const store = new SodiumKeyStore();
    const handles = [1, 2, 3].map((byte) => store.create(identity, 32, (secret) => secret.fill(byte)));
    const first = handles[0] ?? { id: '' };
    // The store is not re-entrant: a refresh that begins inside of a use fails.
    const failed = store.use(first, () => ({ refresh: store.refresh() }));
    const error = await failed.refresh.catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Error);
    await store.refresh();
    await store.refresh();
    expect(handles.map((handle) => store.use(handle, (secret) => secret[31]))).to.deep.equal([1, 2, 3]);
    store.purge();
  });
});
