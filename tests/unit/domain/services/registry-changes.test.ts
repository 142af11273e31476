import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import {
  compareRegistries,
  digestKeys,
  findMissingKeys,
  MAX_LISTED,
  MAX_LISTED_KEYS,
} from '../../../../src/domain/services/registry-changes.ts';
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
  keyId: 'key',
};

const PLATFORMS: readonly Platform[] = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

interface Generation {
  readonly platforms?: readonly Platform[];
  readonly accounts?: readonly Account[];
}

function compare(before: Generation, after: Generation) {
  const [old, next] = [before, after].map(
    ({ platforms = PLATFORMS, accounts = [] }) => new Registry(platforms, accounts),
  ) as [Registry, Registry];
  return compareRegistries(old, next, new TimeSlice(new FixedClock()));
}

async function changes(before: readonly Account[], after: readonly Account[]) {
  return (await compare({ accounts: before }, { accounts: after })).changes;
}

const named = (...ids: readonly string[]): Account[] => ids.map((accountId) => ({ ...ACCOUNT, accountId }));

describe('compareRegistries', () => {
  it('counts nothing when nothing changed, even if every key was reloaded', async () => {
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
    it(`counts an account once as updated when it has a new ${Object.keys(fields).join(', ')}`, async () => {
      const after = { ...ACCOUNT, ...fields };
      expect(await changes([ACCOUNT], [after])).to.deep.equal({ added: 0, updated: 1, removed: 0 });
    });
  }

  it('counts added and removed accounts, even if the total is unchanged', async () => {
    const other = { ...ACCOUNT, accountId: 'spare' };
    expect(await changes([], [ACCOUNT])).to.deep.equal({ added: 1, updated: 0, removed: 0 });
    expect(await changes([ACCOUNT], [])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
    expect(await changes([ACCOUNT], [other])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
  });

  it('treats the same id on another platform as a different account', async () => {
    const moved = { ...ACCOUNT, platformId: 'beta' };
    expect(await changes([ACCOUNT], [moved])).to.deep.equal({ added: 1, updated: 0, removed: 1 });
    expect(await changes([ACCOUNT, moved], [moved])).to.deep.equal({ added: 0, updated: 0, removed: 1 });
  });

  it('ignores the order of accounts', async () => {
    const accounts = named('a', 'b', 'c');
    expect(await changes(accounts, accounts.toReversed())).to.deep.equal({ added: 0, updated: 0, removed: 0 });
  });

  const ALTERED: readonly Partial<Platform>[] = [
    { format: 'A' },
    { algorithms: ['ed25519'] },
    { encoding: 'hex' },
    { payload: { rule: 'raw' } },
    { rules: { login: { rule: 'raw' } } },
    { audit: { clear: ['amount'] } },
    { secretDecoding: 'hex' },
    { verify: { mac: true } },
    { status: 'disabled' },
  ];
  for (const fields of ALTERED) {
    it(`counts all accounts of a platform with a new ${Object.keys(fields)} as updated, and names it`, async () => {
      const accounts = [...named('a', 'b'), { ...ACCOUNT, platformId: 'beta' }];
      const platforms = [{ ...samplePlatform(), ...fields }, ...PLATFORMS.slice(1)];
      const result = await compare({ accounts }, { platforms, accounts: [...accounts, ...named('new')] });
      expect(result.changes).to.deep.equal({ added: 1, updated: 2, removed: 0 });
      expect(result.platforms.changed).to.deep.equal(['alpha']);
    });
  }

  it('ignores the member order of a platform', async () => {
    const reversed = PLATFORMS.map(
      (one) => Object.fromEntries(Object.entries(one).toReversed()) as unknown as Platform,
    );
    const result = await compare({ accounts: [ACCOUNT] }, { platforms: reversed, accounts: [ACCOUNT] });
    expect(result.changes).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    expect(result.platforms.changed).to.deep.equal([]);
  });

  it('lists accounts and platforms by kind of change, in configured order', async () => {
    const before = named('stays', 'goes', 'on', 'off', 'key', 'both', 'ends');
    const [stays, , on, off, key, both] = before as [Account, Account, Account, Account, Account, Account];
    const { accounts, platforms } = await compare(
      { accounts: before, platforms: [samplePlatform(), samplePlatform({ platformId: 'old' })] },
      {
        accounts: [
          ...named('z', 'y'),
          { ...both, status: 'disabled', publicKey: 'public key 3' },
          { ...key, publicKey: 'public key 2' },
          { ...off, status: 'disabled' },
          stays,
          { ...on, alias: 'Another' },
        ],
        platforms: [samplePlatform({ platformId: 'new' }), samplePlatform()],
      },
    );
    expect(accounts).to.deep.equal({
      added: ['alpha/z', 'alpha/y'],
      removed: ['alpha/goes', 'alpha/ends'],
      rekeyed: [
        { account: 'alpha/both', previousPublicKey: 'public key 1', publicKey: 'public key 3' },
        { account: 'alpha/key', previousPublicKey: 'public key 1', publicKey: 'public key 2' },
      ],
      disabled: ['alpha/both', 'alpha/off'],
      enabled: [],
      more: { added: 0, removed: 0, rekeyed: 0, disabled: 0, enabled: 0 },
    });
    const none = { added: 0, removed: 0, changed: 0 };
    expect(platforms).to.deep.equal({ added: ['new'], removed: ['old'], changed: [], more: none });
  });

  it('bounds the number of names in each list, and counts the others', async () => {
    const many = named(...Array.from({ length: 50 }, (_, index) => `account-${index}`));
    const rekeyed = many.map((one): Account => ({ ...one, publicKey: 'other', status: 'disabled' }));
    const added = await compare({ platforms: [] }, { accounts: many });
    expect(added.changes.added).to.equal(50);
    expect(added.accounts.added).to.deep.equal(many.slice(0, MAX_LISTED).map(({ accountId }) => `alpha/${accountId}`));
    expect(added.accounts.more.added).to.equal(50 - MAX_LISTED);
    const { accounts } = await compare({ accounts: many }, { accounts: rekeyed });
    expect([accounts.rekeyed, accounts.disabled].map(({ length }) => length)).to.deep.equal([MAX_LISTED, MAX_LISTED]);
    expect(accounts.more).to.include({ rekeyed: 50 - MAX_LISTED, disabled: 50 - MAX_LISTED });
    const { accounts: back } = await compare({ accounts: rekeyed }, { accounts: many });
    expect(back.more).to.include({ enabled: 50 - MAX_LISTED, disabled: 0 });
    const removed = await compare({ accounts: many }, {});
    expect(removed.accounts.removed).to.have.length(MAX_LISTED);
    expect(removed.accounts.more.removed).to.equal(50 - MAX_LISTED);
  });

  it('agrees with a naive comparison, with consistent totals, for any two generations', async () => {
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

describe('compareRegistries', () => {
  const slice = new TimeSlice(new FixedClock());
  const keyed = (...ids: readonly string[]) =>
    ids.map((id): Account => ({ ...ACCOUNT, accountId: id, publicKey: `public ${id}`, keyId: `id ${id}` }));

  it('names the keys of added, rekeyed and removed accounts', async () => {
    const [kept, rekeyed, removed] = keyed('kept', 'rekeyed', 'removed') as [Account, Account, Account];
    const before = new Registry(PLATFORMS, [kept, rekeyed, removed]);
    const after = new Registry(PLATFORMS, [
      { ...kept, alias: 'Other' },
      { ...rekeyed, publicKey: 'public 2', keyId: 'id 2' },
      ...keyed('added'),
    ]);
    const name = (id: string) => `${ACCOUNT.platformId}/${id}`;
    expect((await compareRegistries(before, after, slice)).keys).to.deep.equal({
      added: [{ account: name('added'), keyId: 'id added' }],
      replaced: [{ account: name('rekeyed'), previousKeyId: 'id rekeyed', keyId: 'id 2' }],
      removed: [{ account: name('removed'), keyId: 'id removed' }],
      more: { added: 0, replaced: 0, removed: 0 },
    });
  });

  it('names at most 10 keys of each kind and counts the rest', async () => {
    const many = keyed(...Array.from({ length: 13 }, (_, index) => `a${index}`));
    const { keys } = await compareRegistries(new Registry(PLATFORMS, []), new Registry(PLATFORMS, many), slice);
    expect(keys.added).to.have.length(MAX_LISTED_KEYS).and.lengthOf(10);
    expect(keys.more.added).to.equal(3);
  });
});

describe('digestKeys', () => {
  const slice = new TimeSlice(new FixedClock());

  it('covers the account and key of each account in configured order', async () => {
    const accounts = ['a', 'b'].map((accountId): Account => ({ ...ACCOUNT, accountId, keyId: `key-${accountId}` }));
    const lines = accounts.map(({ platformId, accountId, keyId }) => `${platformId}/${accountId} ${keyId}\n`);
    const digest = await digestKeys(new Registry(PLATFORMS, accounts), new NodeHasher(), slice);
    expect(digest).to.equal(`sha256:${createHash('sha256').update(lines.join('')).digest('hex')}`);
    expect(await digestKeys(new Registry(PLATFORMS, []), new NodeHasher(), slice)).to.equal(null);
  });
});

describe('findMissingKeys', () => {
  const generation = (...keys: readonly string[]) =>
    new Registry(
      PLATFORMS,
      keys.map((id, index) => ({ ...ACCOUNT, accountId: `account-${index}`, key: { id } })),
    );

  it('returns accounts whose keys are missing from the other generation, also if it has the account', async () => {
    const [before, after] = [generation('a', 'b', 'c'), generation('a', 'x')];
    const slice = new TimeSlice(new FixedClock());
    const keys = async (other: Registry, of: Registry) =>
      (await findMissingKeys(other, of, slice)).map(({ key }) => key.id);
    expect(await keys(after, before)).to.deep.equal(['b', 'c']);
    expect(await keys(before, after)).to.deep.equal(['x']);
    expect(await keys(before, before)).to.deep.equal([]);
  });
});
