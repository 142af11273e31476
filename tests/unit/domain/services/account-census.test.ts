import { expect } from 'chai';
import type { Account } from '../../../../src/domain/model/account.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { AccountCensus } from '../../../../src/domain/services/account-census.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { createWorkbench } from './signing-workbench.ts';

const SAMPLE = createWorkbench().enrol({}, samplePrivateKey(1));
const PLATFORMS = ['alpha', 'beta', 'empty'].map((platformId) => ({ ...samplePlatform(), platformId }));

function registryOf(...accounts: readonly Partial<Account>[]): Registry {
  return new Registry(
    PLATFORMS,
    accounts.map((fields, index) => ({ ...SAMPLE, accountId: `account-${index}`, ...fields })),
  );
}

describe('AccountCensus', () => {
  it('counts the accounts of each platform by status, zero included', async () => {
    const registry = registryOf({}, { status: 'disabled' }, {}, { platformId: 'beta' });
    expect(await new AccountCensus(new FixedClock()).of(registry)).to.deep.equal([
      { platformId: 'alpha', status: 'active', count: 2 },
      { platformId: 'alpha', status: 'disabled', count: 1 },
      { platformId: 'beta', status: 'active', count: 1 },
      { platformId: 'beta', status: 'disabled', count: 0 },
      { platformId: 'empty', status: 'active', count: 0 },
      { platformId: 'empty', status: 'disabled', count: 0 },
    ]);
  });

  it('counts once a generation, and the next one anew', async () => {
    const clock = new BusyClock(2);
    const census = new AccountCensus(clock);
    const registry = registryOf({}, {}, {});
    const [first, second] = await Promise.all([census.of(registry), census.of(registry)]);
    expect(second).to.equal(first);
    const { turns } = clock;
    expect(await census.of(registry)).to.equal(first);
    expect(clock.turns).to.equal(turns);
    expect((await census.of(registryOf({})))[0]?.count).to.equal(1);
  });

  it('gives others turns while it counts many', async () => {
    const clock = new BusyClock(0.25);
    await new AccountCensus(clock).of(registryOf(...Array.from({ length: 40 }, () => ({}))));
    expect(clock.turns).to.be.at.least(5);
  });
});
