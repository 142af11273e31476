import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ShardedMap } from '../../../../../src/adapters/driven/key-store/sharded-map.ts';

const OTHERS = ['', '0', 'zz', '-1', '0x', 'ÿ', '__proto__', 'constructor'];

describe('ShardedMap', () => {
  it('keeps what a Map keeps, whatever keys begin with', () => {
    const map = new ShardedMap<number>();
    const model = new Map<string, number>();
    const keys = [...Array.from({ length: 2000 }, () => randomUUID()), ...OTHERS];
    for (const [number, key] of keys.entries()) {
      map.set(key, number);
      model.set(key, number);
    }
    for (const key of keys.filter((_, number) => number % 3 === 0)) {
      map.delete(key);
      model.delete(key);
    }
    for (const key of keys.filter((_, number) => number % 5 === 0)) {
      map.set(key, -1);
      model.set(key, -1);
    }
    expect(keys.map((key) => map.get(key))).to.deep.equal(keys.map((key) => model.get(key)));
    expect([...map.keys()].sort()).to.deep.equal([...model.keys()].sort());
  });

  it('holds nothing after it was cleared', () => {
    const map = new ShardedMap<number>();
    const keys = [randomUUID(), ...OTHERS];
    for (const key of keys) map.set(key, 1);
    map.clear();
    expect([...map.keys()]).to.deep.equal([]);
    expect(keys.map((key) => map.get(key))).to.deep.equal(keys.map(() => undefined));
  });

  it('lets entries come and go while its keys are gone through', () => {
    const map = new ShardedMap<number>();
    for (const key of ['00-first', '00-second', 'ff-last']) map.set(key, 1);
    const seen: string[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      if (key !== '00-first') continue;
      map.delete('00-second');
      map.set('ff-new', 2);
    }
    expect(seen).to.deep.equal(['00-first', 'ff-last', 'ff-new']);
  });
});
