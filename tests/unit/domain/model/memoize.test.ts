import { expect } from 'chai';
import { memoizeByObject, memoizeRecent } from '../../../../src/domain/model/memoize.ts';

describe('memoizeByObject', () => {
  it('computes the result once per object, even if two are equal', () => {
    const computed: string[] = [];
    const memoized = memoizeByObject(({ name }: { readonly name: string }) => {
      computed.push(name);
      return { name };
    });
    const one = { name: 'one' };
    const first = memoized(one);
    expect(first).to.deep.equal({ name: 'one' });
    expect(memoized({ name: 'two' })).to.deep.equal({ name: 'two' });
    expect(memoized(one)).to.equal(first);
    expect(memoized({ name: 'one' })).not.to.equal(first);
    expect(computed).to.deep.equal(['one', 'two', 'one']);
  });
});

describe('memoizeRecent', () => {
  let computed: (string | null)[];

  beforeEach(() => {
    computed = [];
  });

  function memoized(): (key: string | null) => boolean {
    return memoizeRecent((key: string | null) => {
      computed.push(key);
      return (key ?? '1').endsWith('0');
    });
  }

  it('caches the 1024 newest results, and returns the correct result for every key', () => {
    const endsWithZero = memoized();
    for (let index = 0; index < 1025; index += 1) expect(endsWithZero(`${index}`)).to.equal(index % 10 === 0);
    endsWithZero('1');
    expect(computed).to.have.lengthOf(1025);
    endsWithZero('0');
    expect(computed).to.have.lengthOf(1026);
    expect([endsWithZero(null), endsWithZero(null)]).to.deep.equal([false, false]);
    expect(computed).to.have.lengthOf(1027);
  });

  it('computes with and caches the copy of a key', () => {
    const trimmed = memoizeRecent(
      (key: string) => {
        computed.push(key);
        return key.length;
      },
      (key) => key.trim(),
    );
    expect([trimmed(' a'), trimmed('a')]).to.deep.equal([1, 1]);
    expect(computed).to.deep.equal(['a']);
  });
});
