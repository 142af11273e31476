import { expect } from 'chai';
import { EMPTY_REGISTRY, Registry } from '../../../../src/domain/model/registry.ts';
import { RegistryHolder } from '../../../../src/domain/services/registry-holder.ts';

describe('RegistryHolder', () => {
  it('is empty before the first load', () => {
    const holder = new RegistryHolder();
    expect(holder.current).to.equal(EMPTY_REGISTRY);
    expect(holder.loadedAt).to.equal(null);
  });

  it('replaces the generation and its load time together', () => {
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
});
