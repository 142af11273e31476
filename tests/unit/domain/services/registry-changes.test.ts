import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { countChanges } from '../../../../src/domain/services/registry-changes.ts';
import { samplePlatform } from '../../../doubles/credential-builder.ts';

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
  return countChanges(new Registry(PLATFORMS, before), new Registry(PLATFORMS, after));
}

describe('countChanges', () => {
  it('counts nothing when nothing changed, though every key was loaded anew', () => {
    const after = { ...ACCOUNT, key: { id: 'second' } };
    expect(changes([ACCOUNT], [after])).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    expect(changes([], [])).to.deep.equal({ added: 0, updated: 0, removed: 0 });
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
    it(`counts an account once as updated when it has another ${Object.keys(fields).join(', ')}`, () => {
      const after = { ...ACCOUNT, ...fields };
      expect(changes([ACCOUNT], [after])).to.deep.equal({ added: 0, updated: 1, removed: 0 });
    });
  }

  it('counts an account that came and one that went, also when their number stays', () => {
    const other = { ...ACCOUNT, accountId: 'spare' };
    expect(changes([], [ACCOUNT])).to.deep.equal({ added: 1, updated: 0, removed: 0 });
    expect(changes([ACCOUNT], [])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
    expect(changes([ACCOUNT], [other])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
  });

  it('takes an account of the same id on another platform for another account', () => {
    const moved = { ...ACCOUNT, platformId: 'beta' };
    expect(changes([ACCOUNT], [moved])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
    expect(changes([ACCOUNT, moved], [moved])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
  });

  it('does not mind the order of accounts', () => {
    const accounts = ['a', 'b', 'c'].map((accountId) => ({ ...ACCOUNT, accountId }));
    expect(changes(accounts, accounts.toReversed())).to.deep.equal({ added: 0, updated: 0, removed: 0 });
  });

  it('agrees with a naive comparison, and adds up, for any two generations', () => {
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

    fc.assert(
      fc.property(generation, generation, (before, after) => {
        const old = Object.fromEntries(before.map((one) => [nameOf(one), JSON.stringify(one)]));
        const fresh = Object.fromEntries(after.map((one) => [nameOf(one), JSON.stringify(one)]));
        const added = Object.keys(fresh).filter((name) => !(name in old)).length;
        const removed = Object.keys(old).filter((name) => !(name in fresh)).length;
        const updated = Object.keys(fresh).filter((name) => name in old && old[name] !== fresh[name]).length;
        expect(changes(before, after)).to.deep.equal({ added, updated, removed });
        expect(before.length + added - removed).to.equal(after.length);
      }),
      { numRuns: 500 },
    );
  });
});
