import { expect } from 'chai';
import { KeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { KeyIdentity, KeyStore } from '../../src/ports/key-store.ts';

const IDENTITY: KeyIdentity = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' };

/** Contract of every KeyStore. `make` returns a fresh, empty one. */
export function describeKeyStoreContract(name: string, make: () => KeyStore): void {
  describe(`KeyStore contract: ${name}`, () => {
    let store: KeyStore;

    beforeEach(() => {
      store = make();
    });
    afterEach(() => store.purge());

    function keep(...bytes: number[]) {
      return store.create(IDENTITY, bytes.length, (secret) => secret.set(bytes));
    }

    it('passes the stored key, any number of times', () => {
      const handle = keep(1, 2, 3);
      expect(store.use(handle, (secret) => [...secret])).to.deep.equal([1, 2, 3]);
      expect(store.use(handle, (secret) => [...secret])).to.deep.equal([1, 2, 3]);
    });

    it('keeps keys separate', () => {
      const first = keep(1, 1);
      const second = keep(2, 2, 2);
      expect(first.id).not.to.equal(second.id);
      expect(store.use(second, (secret) => [...secret])).to.deep.equal([2, 2, 2]);
      expect(store.use(first, (secret) => [...secret])).to.deep.equal([1, 1]);
    });

    it('passes fill exactly the requested length, all zero', () => {
      keep(9, 9, 9, 9);
      store.create(IDENTITY, 4, (secret) => expect([...secret]).to.deep.equal([0, 0, 0, 0]));
    });

    it('keeps the key unchanged if an action writes to it', () => {
      const handle = keep(5, 6);
      store.use(handle, (secret) => secret.fill(0));
      expect(store.use(handle, (secret) => [...secret])).to.deep.equal([5, 6]);
    });

    it('returns the result of the action, rethrows its error, and works afterwards', () => {
      const handle = keep(7);
      expect(store.use(handle, () => 'result')).to.equal('result');
      expect(() =>
        store.use(handle, () => {
          throw new RangeError('from the action');
        }),
      ).to.throw(RangeError, 'from the action');
      expect(store.use(handle, (secret) => [...secret])).to.deep.equal([7]);
    });

    it('opens and stores several keys in one batch, if supported, and works after a failure', () => {
      const handle = keep(7);
      const work = () => [store.use(keep(8), (secret) => secret[0]), store.use(handle, (secret) => secret[0])];
      const inOneGo = <Result>(action: () => Result) => store.together?.(action) ?? action();
      expect(inOneGo(work)).to.deep.equal([8, 7]);
      const failure = new RangeError('from the work');
      const fail = () => {
        throw failure;
      };
      expect(() => inOneGo(fail)).to.throw(failure);
      expect(work()).to.deep.equal([8, 7]);
    });

    it('rethrows the error of fill and stores nothing', () => {
      expect(() =>
        store.create(IDENTITY, 1, () => {
          throw new RangeError('from fill');
        }),
      ).to.throw(RangeError, 'from fill');
      expect(store.use(keep(8), (secret) => [...secret])).to.deep.equal([8]);
    });

    it('refuses an action that returns a promise', () => {
      const handle = keep(7);
      expect(() => store.use(handle, async () => undefined)).to.throw(TypeError);
    });

    it('refuses a fill that returns a promise', () => {
      expect(() => store.create(IDENTITY, 1, (async () => undefined) as () => void)).to.throw(TypeError);
    });

    it('refuses nested use', () => {
      const outer = keep(1);
      const inner = keep(2);
      expect(() => store.use(outer, () => store.use(inner, () => undefined))).to.throw(Error);
      expect(store.use(outer, (secret) => [...secret])).to.deep.equal([1]);
    });

    it('does not open an unknown key', () => {
      expect(() => store.use({ id: 'unknown' }, () => undefined)).to.throw(KeyUnavailableError);
    });

    it('forgets a discarded key and only that one', () => {
      const kept = keep(1);
      const discarded = keep(2);
      store.discard(discarded);
      expect(() => store.use(discarded, () => undefined)).to.throw(KeyUnavailableError);
      expect(store.use(kept, (secret) => [...secret])).to.deep.equal([1]);
    });

    it('ignores discarding an unknown key', () => {
      expect(() => store.discard({ id: 'unknown' })).not.to.throw();
    });

    it('forgets everything when purged, also when purged twice', () => {
      const handle = keep(1);
      store.purge();
      store.purge();
      expect(() => store.use(handle, () => undefined)).to.throw(KeyUnavailableError);
      expect(() => keep(2)).to.throw(KeyUnavailableError);
    });

    it('keeps every key and handle through refreshes, also concurrent ones', async () => {
      const handles = Array.from({ length: 300 }, (_, index) => keep(index % 256, index >> 8));
      await Promise.all([store.refresh(), store.refresh()]);
      await store.refresh();
      handles.forEach((handle, index) => {
        expect(store.use(handle, (secret) => [...secret])).to.deep.equal([index % 256, index >> 8]);
      });
    });

    it('opens, stores and discards keys while a refresh runs', async () => {
      const handles = Array.from({ length: 300 }, (_, index) => keep(index % 256, index >> 8));
      const [first, ...others] = handles;
      const refreshing = store.refresh();
      const added = keep(9, 9);
      if (first !== undefined) store.discard(first);
      others.forEach((handle, index) => {
        expect(store.use(handle, (secret) => [...secret])).to.deep.equal([(index + 1) % 256, (index + 1) >> 8]);
      });
      await refreshing;
      expect(store.use(added, (secret) => [...secret])).to.deep.equal([9, 9]);
      expect(() => store.use(first ?? { id: 'none' }, () => undefined)).to.throw(KeyUnavailableError);
      expect(store.use(others[298] ?? { id: 'none' }, (secret) => [...secret])).to.deep.equal([43, 1]);
    });

    it('can be purged while a refresh runs, and a later refresh has no effect', async () => {
      const handles = Array.from({ length: 300 }, (_, index) => keep(index % 256));
      const refreshing = store.refresh();
      store.purge();
      await refreshing;
      await store.refresh();
      for (const handle of handles) expect(() => store.use(handle, () => undefined)).to.throw(KeyUnavailableError);
    });

    it('reveals no key when it or a handle is inspected', () => {
      const marker = [0xde, 0xad, 0xbe, 0xef, 0x12, 0x34, 0x56, 0x78];
      const handle = keep(...marker);
      const seen = JSON.stringify({ store, handle }) + String(Object.values(store)) + String(Object.values(handle));
      expect(seen).not.to.include(Buffer.from(marker).toString('hex'));
      expect(seen).not.to.include(marker.join(','));
    });
  });
}
