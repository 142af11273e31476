import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { countChanges, keysMissingFrom } from '../../../../src/domain/services/registry-changes.ts';
import { Turns } from '../../../../src/domain/services/turns.ts';
import { samplePlatform } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

const ACCOUNT: Account = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'Alpha main',
  status: 'active',
  environment: 'production',
  algorithm: 'ed25519',
  publicKey: 'public key 1',
  createdAt: '2026-11-20T00:00:00.000Z',
  key: { id: 'first' },
};

const PLATFORMS: readonly Platform[] = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

function changes(before: readonly Account[], after: readonly Account[]) {
  return countChanges(new Registry(PLATFORMS, before), new Registry(PLATFORMS, after), new Turns(new FixedClock()));
}

describe('countChanges', () => {
  it('counts nothing when nothing changed, though every key was loaded anew', async () => {
    const after = { ...ACCOUNT, key: { id: 'second' } };
    expect(await changes([ACCOUNT], [after])).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    expect(await changes([], [])).to.deep.equal({ added: 0, updated: 0, removed: 0 });
  });

  const altered: readonly Partial<Account>[] = [
    { alias: 'Alpha two' },
    { status: 'disabled' },
    { environment: 'staging' },
    { algorithm: 'eip191' },
    { publicKey: 'public key 2' },
    { createdAt: '2026-11-21T00:00:00.000Z' },
    { alias: 'Alpha two', status: 'disabled', publicKey: 'public key 2' },
  ];
  for (const fields of altered) {
    it(`counts an account once as updated when it has another ${Object.keys(fields).join(', ')}`, async () => {
      const after = { ...ACCOUNT, ...fields };
      expect(await changes([ACCOUNT], [after])).to.deep.equal({ added: 0, updated: 1, removed: 0 });
    });
  }

  it('counts an account that came and one that went, also when their number stays', async () => {
    const other = { ...ACCOUNT, accountId: 'spare' };
    expect(await changes([], [ACCOUNT])).to.deep.equal({ added: 1, updated: 0, removed: 0 });
    expect(await changes([ACCOUNT], [])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
    expect(await changes([ACCOUNT], [other])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
  });

  it('takes an account of the same id on another platform for another account', async () => {
    const moved = { ...ACCOUNT, platformId: 'beta' };
    expect(await changes([ACCOUNT], [moved])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
    expect(await changes([ACCOUNT, moved], [moved])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
  });

  it('does not mind the order of accounts', async () => {
    const accounts = ['a', 'b', 'c'].map((accountId) => ({ ...ACCOUNT, accountId }));
    expect(await changes(accounts, accounts.toReversed())).to.deep.equal({ added: 0, updated: 0, removed: 0 });
  });

  it('agrees with a naive comparison, and adds up, for any two generations', async () => {
    const account = fc.record({
      platformId: fc.constantFrom('alpha', 'beta'),
      accountId: fc.constantFrom('a', 'b', 'c', 'd'),
      alias: fc.constantFrom('x', 'y'),
      status: fc.constantFrom('active' as const, 'disabled' as const),
      publicKey: fc.constantFrom('1', '2'),
    });
    const nameOf = (one: Pick<Account, 'platformId' | 'accountId'>) => JSON.stringify([one.platformId, one.accountId]);
    const generation = fc
      .uniqueArray(account, { selector: nameOf })
      .map((list) => list.map((fields): Account => ({ ...ACCOUNT, ...fields })));

    await fc.assert(
      fc.asyncProperty(generation, generation, async (before, after) => {
        const old = Object.fromEntries(before.map((one) => [nameOf(one), JSON.stringify(one)]));
        const fresh = Object.fromEntries(after.map((one) => [nameOf(one), JSON.stringify(one)]));
        const added = Object.keys(fresh).filter((name) => !(name in old)).length;
        const removed = Object.keys(old).filter((name) => !(name in fresh)).length;
        const updated = Object.keys(fresh).filter((name) => name in old && old[name] !== fresh[name]).length;
        expect(await changes(before, after)).to.deep.equal({ added, updated, removed });
        expect(before.length + added - removed).to.equal(after.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('keysMissingFrom', () => {
  const generation = (...keys: readonly string[]) =>
    new Registry(
      PLATFORMS,
      keys.map((id, index) => ({ ...ACCOUNT, accountId: `account-${index}`, key: { id } })),
    );

  it('names the keys that one generation has and the other has not, also of accounts that both have', async () => {
    const [before, after] = [generation('a', 'b', 'c'), generation('a', 'x')];
    const turns = new Turns(new FixedClock());
    expect(await keysMissingFrom(after, before, turns)).to.deep.equal([{ id: 'b' }, { id: 'c' }]);
    expect(await keysMissingFrom(before, after, turns)).to.deep.equal([{ id: 'x' }]);
    expect(await keysMissingFrom(before, before, turns)).to.deep.equal([]);
  });
});
