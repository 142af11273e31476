import { expect } from 'chai';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { AccountCounts } from '../../../../src/domain/services/account-counts.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { createWorkbench } from './signing-workbench.ts';

describe('AccountCounts', () => {
  it('counts once per generation, and yields', async () => {
    const clock = new BusyClock(2);
    const counts = new AccountCounts(clock);
    const sample = createWorkbench().enrol({}, samplePrivateKey(1));
    const registryOf = (length: number) =>
      new Registry(
        [samplePlatform(), samplePlatform({ platformId: 'empty' })],
        Array.from({ length }, (_, index) => ({ ...sample, accountId: `account-${index}` })),
      );
    const registry = registryOf(9);
    const [first, second] = await Promise.all([counts.of(registry), counts.of(registry)]);
    expect(second).to.equal(first);
    expect(first?.map(({ platformId, status, count }) => [platformId, status, count])).to.deep.equal([
      ['alpha', 'active', 9],
      ['alpha', 'disabled', 0],
      ['empty', 'active', 0],
      ['empty', 'disabled', 0],
    ]);
    expect(clock.turns).to.be.at.least(5);
    const { turns } = clock;
    expect(await counts.of(registry)).to.equal(first);
    expect(clock.turns).to.equal(turns);
    expect((await counts.of(registryOf(1)))[0]?.count).to.equal(1);
  });
});
