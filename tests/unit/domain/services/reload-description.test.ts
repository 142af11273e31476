import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import { type Account, toAccountName } from '../../../../src/domain/model/account.ts';
import { type PermissionEntry, Permissions } from '../../../../src/domain/model/permissions.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../../../../src/domain/model/policy.ts';
import { Registry, type RegistryOrigin } from '../../../../src/domain/model/registry.ts';
import { CompiledPolicies } from '../../../../src/domain/policy/compiled-policies.ts';
import { compareRegistries } from '../../../../src/domain/services/registry-difference.ts';
import { describeReload, MAX_LISTED, MAX_LISTED_KEYS } from '../../../../src/domain/services/reload-description.ts';
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

/** Accounts of a generation. */
const ACCOUNTS = fc
  .uniqueArray(
    fc.record({
      platformId: fc.constantFrom('alpha', 'beta'),
      accountId: fc.constantFrom('a', 'b', 'c', 'd'),
      alias: fc.constantFrom('x', 'y'),
      status: fc.constantFrom('active' as const, 'disabled' as const),
      publicKey: fc.constantFrom('1', '2'),
      overlapSeconds: fc.constantFrom(1, 2),
    }),
    { selector: toAccountName },
  )
  .map((list) => list.map((fields): Account => ({ ...ACCOUNT, ...fields })));

interface Generation {
  readonly platforms?: readonly Platform[];
  readonly accounts?: readonly Account[];
  readonly origin?: Partial<RegistryOrigin>;
  readonly permissions?: readonly PermissionEntry[] | null;
  readonly policies?: readonly PolicyEntry[];
  readonly budgets?: readonly BudgetEntry[];
}

const NO_ORIGIN: RegistryOrigin = {
  ...{ digest: null, permissionsDigest: null, policiesDigest: null, budgetsDigest: null },
  masterKeyIds: [],
};

function toRegistry(generation: Generation): Registry {
  const { platforms = PLATFORMS, accounts = [], origin = {}, permissions = null } = generation;
  const { policies = [], budgets = [] } = generation;
  const compiled = new CompiledPolicies(
    policies.map((entry) => ({ entry, conditions: new Map() })),
    budgets.map((entry) => ({ entry, sums: new Map() })),
  );
  return new Registry(platforms, accounts, { ...NO_ORIGIN, ...origin }, new Permissions(permissions), compiled);
}

async function compare(before: Generation, after: Generation) {
  const slice = new TimeSlice(new FixedClock());
  const [one, other] = [toRegistry(before), toRegistry(after)];
  const difference = await compareRegistries(one, other, slice);
  return describeReload('', difference, one, other, new NodeHasher(), slice);
}

/** By Node, of JSON text written by hand with sorted members. */
const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const named = (...ids: readonly string[]): Account[] => ids.map((accountId) => ({ ...ACCOUNT, accountId }));

describe('The difference of two generations', () => {
  it('lists accounts and platforms by kind of change, in configured order', async () => {
    const before = named('stays', 'goes', 'on', 'off', 'key', 'both', 'ends');
    const [stays, , on, off, key, both] = before as [Account, Account, Account, Account, Account, Account];
    const origin: RegistryOrigin = {
      ...{ digest: '1', permissionsDigest: '2', policiesDigest: '3', budgetsDigest: '4' },
      masterKeyIds: ['1f0c5d2a9b7e4863'],
    };
    const { accounts, keys, platforms, previous } = await compare(
      { accounts: before, platforms: [samplePlatform(), samplePlatform({ platformId: 'old' })], origin },
      {
        accounts: [
          ...named('z', 'y'),
          { ...both, status: 'disabled', publicKey: 'public key 3', keyId: 'key 3' },
          { ...key, publicKey: 'public key 2', keyId: 'key 2' },
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
      changed: [{ account: 'alpha/on', fields: ['alias'] }],
      more: { added: 0, removed: 0, rekeyed: 0, disabled: 0, enabled: 0, changed: 0 },
    });
    const toKeys = (...names: readonly string[]) => names.map((account) => ({ account, keyId: 'key' }));
    expect(keys).to.deep.equal({
      added: toKeys('alpha/z', 'alpha/y'),
      replaced: [
        { account: 'alpha/both', previousKeyId: 'key', keyId: 'key 3' },
        { account: 'alpha/key', previousKeyId: 'key', keyId: 'key 2' },
      ],
      removed: toKeys('alpha/goes', 'alpha/ends'),
      more: { added: 0, replaced: 0, removed: 0 },
    });
    const { digest: configurationDigest, ...others } = origin;
    expect(previous).to.deep.equal({ configurationDigest, ...others });
    const none = { added: 0, removed: 0, changed: 0, changedFields: 0 };
    expect(platforms).to.deep.equal({ added: ['new'], removed: ['old'], changed: [], changedFields: [], more: none });
  });

  it('agrees with a naive comparison, and names every updated account, for any two generations', async () => {
    const generation = fc.record({ encoding: fc.constantFrom('hex', 'base64'), accounts: ACCOUNTS });
    const toGeneration = ({ encoding, accounts }: { encoding: 'hex' | 'base64'; accounts: readonly Account[] }) => ({
      accounts,
      platforms: [samplePlatform({ encoding }), samplePlatform({ platformId: 'beta' })],
    });
    await fc.assert(
      fc.asyncProperty(generation, generation, async (before, after) => {
        const toTexts = ({ encoding, accounts }: typeof before) =>
          new Map(
            accounts.map((one) => {
              return [toAccountName(one), JSON.stringify([one, one.platformId === 'alpha' ? encoding : ''])];
            }),
          );
        const [old, fresh] = [toTexts(before), toTexts(after)];
        const kept = [...fresh.keys()].filter((name) => old.has(name));
        const updated = kept.filter((name) => old.get(name) !== fresh.get(name));
        const result = await compare(toGeneration(before), toGeneration(after));
        expect(result.changes).to.deep.equal({
          added: fresh.size - kept.length,
          updated: updated.length,
          removed: old.size - kept.length,
        });
        const { rekeyed, changed, disabled, enabled } = result.accounts;
        const shown = [...[...rekeyed, ...changed].map(({ account }) => account), ...disabled, ...enabled];
        expect([...new Set(shown)]).to.have.members(updated);
      }),
      { numRuns: 150 },
    );
  });

  const POLICY: PolicyEntry = { name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'true' };
  const POLICY_TEXT = '{"accounts":["alpha/*"],"effect":"allow","name":"orders","when":"true"}';
  const BUDGET: BudgetEntry = {
    ...{ name: 'daily', accounts: ['*/*'], sum: 'signed.amount', max: '5', windowSeconds: 60 },
  };

  it('names each changed field of an account', async () => {
    const fields: Partial<Account> = {
      alias: 'Other',
      environment: 'staging',
      algorithm: 'eip191',
      createdAt: '2026-11-21T00:00:00.000Z',
      overlapSeconds: 60,
      values: { subaccount: '1' },
    };
    const { accounts } = await compare({ accounts: [ACCOUNT] }, { accounts: [{ ...ACCOUNT, ...fields }] });
    expect(accounts.changed).to.deep.equal([{ account: 'alpha/main', fields: Object.keys(fields) }]);
  });

  it('names each changed field of a platform, and within `send`', async () => {
    const send = { origins: ['https://api.example'], headers: { sign: '{signature}' } };
    const platform = samplePlatform({ send });
    const change = async (fields: Partial<Platform>) =>
      (await compare({ platforms: [platform] }, { platforms: [{ ...platform, ...fields }] })).platforms;
    const { changed, changedFields } = await change({
      ...{ encoding: 'hex', payload: { rule: 'raw' } },
      send: { ...send, origins: ['https://api.evil.example'] },
    });
    expect(changed).to.deep.equal(['alpha']);
    const fields = ['payload.rule', 'send.origins', 'encoding'];
    expect(changedFields).to.deep.equal([{ platform: 'alpha', fields }]);
    expect((await change({ send: { headers: send.headers, origins: send.origins } })).changed).to.deep.equal([]);
  });

  it('names accounts of a changed platform after those that changed themselves, which are not crowded out', async () => {
    const many = named(...Array.from({ length: 30 }, (_, index) => `a${index}`));
    const last: Account = { ...ACCOUNT, platformId: 'beta', accountId: 'last' };
    const result = await compare(
      { accounts: [...many, last] },
      {
        accounts: [...many, { ...last, alias: 'Other' }],
        platforms: PLATFORMS.map((platform) => ({ ...platform, encoding: 'hex' as const })),
      },
    );
    expect(result.accounts.changed[0]).to.deep.equal({ account: 'beta/last', fields: ['alias', 'platform'] });
    expect(result.accounts.changed[1]).to.deep.equal({ account: 'alpha/a0', fields: ['platform'] });
    expect(result.accounts.changed).to.have.length(MAX_LISTED);
    expect(result.accounts.more.changed).to.equal(31 - MAX_LISTED);
  });

  it('names added, removed and changed policies and budgets with the digests of their definitions', async () => {
    // The order of members makes no difference.
    const same = Object.fromEntries(Object.entries(POLICY).toReversed()) as unknown as PolicyEntry;
    const { policies, budgets } = await compare(
      { policies: [POLICY, { ...POLICY, name: 'old' }, { ...POLICY, name: 'same' }], budgets: [BUDGET] },
      {
        policies: [
          { ...same, name: 'same' },
          { ...POLICY, name: 'new' },
          { ...POLICY, when: 'false' },
        ],
        budgets: [{ ...BUDGET, max: '6' }],
      },
    );
    expect(policies).to.deep.equal({
      added: [{ name: 'new', digest: digestOf(POLICY_TEXT.replace('orders', 'new')) }],
      removed: [{ name: 'old', digest: digestOf(POLICY_TEXT.replace('orders', 'old')) }],
      changed: [
        {
          name: 'orders',
          fields: ['when'],
          previousDigest: digestOf(POLICY_TEXT),
          digest: digestOf(POLICY_TEXT.replace('"true"', '"false"')),
        },
      ],
      more: { added: 0, removed: 0, changed: 0 },
    });
    const text = '{"accounts":["*/*"],"max":"5","name":"daily","sum":"signed.amount","windowSeconds":60}';
    expect(budgets.changed).to.deep.equal([
      { name: 'daily', fields: ['max'], previousDigest: digestOf(text), digest: digestOf(text.replace('"5"', '"6"')) },
    ]);
  });

  it('counts added and removed permission entries, and names their principals', async () => {
    const entry = (...principals: readonly string[]): PermissionEntry => ({
      ...{ principals, operations: ['sign'], accounts: ['*/*'] },
    });
    const permissionsOf = async (before: readonly PermissionEntry[] | null, after: readonly PermissionEntry[] | null) =>
      (await compare({ permissions: before }, { permissions: after })).permissions;
    expect(await permissionsOf([entry('a'), entry('b')], [entry('b'), entry('a')])).to.include({
      added: 0,
      removed: 0,
    });
    const reduced: PermissionEntry = { ...entry('a', 'b'), operations: ['verify'] };
    const result = await permissionsOf([entry('a', 'b'), entry('c')], [reduced, entry('c'), entry('d')]);
    expect(result).to.deep.equal({ added: 2, removed: 1, principals: ['a', 'b', 'd'], more: { principals: 0 } });
    expect(await permissionsOf([entry('a')], [entry('a'), entry('a')])).to.include({ added: 1, removed: 0 });
    expect(await permissionsOf([entry('a'), entry('a')], [entry('a')])).to.include({ added: 0, removed: 1 });
  });

  it('shortens the longest lists, and counts the rest, so that all fit in an audit record', async () => {
    const long = (name: string, index: number) => `${name}-${index}-`.padEnd(128, 'x');
    const accounts = Array.from(
      { length: 40 },
      (_, index): Account => ({
        ...{ ...ACCOUNT, platformId: long('p', 0), accountId: long('a', index) },
        publicKey: 'k'.repeat(800),
      }),
    );
    const after = accounts.map(
      (one): Account => ({ ...one, publicKey: 'n'.repeat(800), status: 'disabled', alias: '' }),
    );
    const added = accounts.map((one, index): Account => ({ ...one, accountId: long('b', index) }));
    const result = await compare({ accounts }, { accounts: [...after, ...added] });
    const { accounts: ofAccounts, keys, platforms, policies, budgets, permissions } = result;
    const lists = { accounts: ofAccounts, keys, platforms, policies, budgets, permissions };
    // 55,000 characters of entries, and the names of their lists.
    expect(JSON.stringify(lists).length).to.be.within(54_000, 56_500);
    const { rekeyed, disabled, more } = lists.accounts;
    expect(rekeyed.length).to.be.within(1, MAX_LISTED - 1);
    expect(more.rekeyed).to.equal(40 - rekeyed.length);
    expect([disabled.length, more.disabled]).to.deep.equal([MAX_LISTED, 40 - MAX_LISTED]);
    expect([lists.keys.added.length, lists.keys.more.added]).to.deep.equal([MAX_LISTED_KEYS, 40 - MAX_LISTED_KEYS]);
  });

  it('has a digest of the account and key of each account in configured order', async () => {
    const accounts = ['a', 'b'].map((accountId): Account => ({ ...ACCOUNT, accountId, keyId: `key-${accountId}` }));
    const lines = accounts.map(({ platformId, accountId, keyId }) => `${platformId}/${accountId} ${keyId}\n`);
    expect((await compare({}, { accounts })).keysDigest).to.equal(digestOf(lines.join('')));
    expect((await compare({ accounts }, {})).keysDigest).to.equal(null);
  });
});
