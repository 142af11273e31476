import { expect } from 'chai';
import { EMPTY_REGISTRY, Registry } from '../../../../src/domain/model/registry.ts';
import { RegistryHolder } from '../../../../src/domain/services/registry-holder.ts';

describe('RegistryHolder', () => {
  it('serves nothing before something was loaded', () => {
    const holder = new RegistryHolder();
    expect(holder.current).to.equal(EMPTY_REGISTRY);
    expect(holder.loadedAt).to.equal(null);
  });

  it('puts a new generation and its time in force together', () => {
    const holder = new RegistryHolder();
    const first = new Registry([], []);
    holder.replace(first, '2026-11-20T08:49:00.000Z');
    const taken = holder.current;
    const second = new Registry([], []);
    holder.replace(second, '2026-11-20T08:50:00.000Z');
    expect(taken).to.equal(first);
    expect(holder.current).to.equal(second);
    expect(holder.loadedAt).to.equal('2026-11-20T08:50:00.000Z');
  });

  describe('with work that takes more than one turn', () => {
    /** Work with the generation in force that ends when it is told to. */
    function work(holder: RegistryHolder) {
      let end = () => {};
      const done = holder.useCurrent((registry) => new Promise<Registry>((resolve) => (end = () => resolve(registry))));
      return { done, end: () => end() };
    }

    it('lends that work one generation, and says when the last of it has ended', async () => {
      const holder = new RegistryHolder();
      const first = new Registry([], []);
      holder.replace(first, '2026-11-20T08:49:00.000Z');
      const [one, other] = [work(holder), work(holder)];
      holder.replace(new Registry([], []), '2026-11-20T08:50:00.000Z');
      let unused = 0;
      holder.whenUnused(first, () => {
        unused += 1;
      });
      one.end();
      expect(await one.done).to.equal(first);
      expect(unused).to.equal(0);
      other.end();
      expect(await other.done).to.equal(first);
      expect(unused).to.equal(1);
    });

    it('says at once that nothing works with a generation, also after work that failed', async () => {
      const holder = new RegistryHolder();
      const first = new Registry([], []);
      holder.replace(first, '2026-11-20T08:49:00.000Z');
      const error = new Error('failed');
      expect(await holder.useCurrent(() => Promise.reject(error)).catch((reason: unknown) => reason)).to.equal(error);
      let unused = 0;
      holder.whenUnused(first, () => {
        unused += 1;
      });
      expect(unused).to.equal(1);
    });

    it('keeps what a generation has from being given up while work goes on with an older one, which may have it, too', async () => {
      const holder = new RegistryHolder();
      const [first, second, third] = [new Registry([], []), new Registry([], []), new Registry([], [])];
      holder.replace(first, '2026-11-20T08:49:00.000Z');
      const long = work(holder);
      const unused: string[] = [];
      holder.replace(second, '2026-11-20T08:50:00.000Z');
      holder.whenUnused(first, () => unused.push('first'));
      holder.replace(third, '2026-11-20T08:51:00.000Z');
      holder.whenUnused(second, () => unused.push('second'));
      expect(unused).to.deep.equal([]);
      long.end();
      await long.done;
      expect(unused).to.deep.equal(['first', 'second']);
    });
  });
});
