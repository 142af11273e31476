import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AccountList,
  type AccountPage,
  AccountService,
  type AccountWithUsage,
} from '../../../../src/domain/services/account-service.ts';
import type { AccountPosition } from '../../../../src/domain/services/sorted-accounts.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench } from './signing-workbench.ts';

function setUp() {
  const bench = createWorkbench();
  const accounts = [
    bench.enrol({ accountId: 'main', createdAt: '2026-01-02T03:04:05.678Z' }, samplePrivateKey(1)),
    bench.enrol({ platformId: 'beta', accountId: 'main', algorithm: 'eip191' }, samplePrivateKey(2)),
    bench.enrol({ accountId: 'spare', status: 'disabled', environment: 'staging' }, samplePrivateKey(3)),
  ];
  bench.serve([samplePlatform(), samplePlatform({ platformId: 'beta' })], accounts);
  return { bench, accounts, service: new AccountService(bench.registry, bench.usage, bench.clock) };
}

function everything({ total, slice }: AccountList): readonly AccountWithUsage[] {
  return slice(0, total);
}

const UNUSED = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Everything that may be known of an account. */
const PROFILE_FIELDS = [
  'accountId',
  'platformId',
  'alias',
  'status',
  'environment',
  'algorithm',
  'publicKey',
  'createdAt',
] as const;

describe('AccountService', () => {
  it('lists all accounts in configured order, disabled ones too, unused at first', () => {
    const { service } = setUp();
    expect(
      everything(service.list()).map(({ profile, usage }) => [profile.platformId, profile.accountId, usage]),
    ).to.deep.equal([
      ['alpha', 'main', UNUSED],
      ['beta', 'main', UNUSED],
      ['alpha', 'spare', UNUSED],
    ]);
  });

  it('lists those of one platform; an unknown one has none', () => {
    const { service } = setUp();
    expect(everything(service.list('alpha')).map(({ profile }) => profile.accountId)).to.deep.equal(['main', 'spare']);
    expect(everything(service.list('beta')).map(({ profile }) => profile.accountId)).to.deep.equal(['main']);
    expect(everything(service.list('nowhere'))).to.deep.equal([]);
    expect(everything(service.list(''))).to.deep.equal([]);
  });

  it('finds one account', () => {
    const { service, accounts } = setUp();
    const { profile, usage } = acceptedValue(service.find('alpha', 'main'));
    expect(profile).to.deep.equal({
      accountId: 'main',
      platformId: 'alpha',
      alias: 'Alpha main',
      status: 'active',
      environment: 'production',
      algorithm: 'ed25519',
      publicKey: accounts[0]?.publicKey,
      createdAt: '2026-01-02T03:04:05.678Z',
    });
    expect(usage).to.deep.equal(UNUSED);
  });

  it('shows nothing of a key but its public key, not even its handle', async () => {
    const { service } = setUp();
    const shown = [
      ...everything(service.list()),
      ...everything(service.list('alpha')),
      ...(await service.page({ limit: 9, after: null })).accounts,
      acceptedValue(service.find('beta', 'main')),
    ];
    for (const { profile } of shown) expect(profile).to.have.all.keys(...PROFILE_FIELDS);
  });

  it('opens no key', () => {
    const { bench, service } = setUp();
    everything(service.list());
    service.find('alpha', 'main');
    expect(bench.opened).to.deep.equal([]);
  });

  it('refuses an account that does not exist, on a platform or under one that does not, with both ids', () => {
    const { service } = setUp();
    for (const [platformId, accountId] of [
      ['alpha', 'nobody'],
      ['beta', 'spare'],
      ['nowhere', 'main'],
    ] as const) {
      const { code, details } = refusalOf(service.find(platformId, accountId));
      expect(code).to.equal('ACCOUNT_NOT_FOUND');
      expect(details).to.deep.equal({ platformId, accountId });
    }
  });

  it('shows what each account was used for, also after its configuration was loaded anew', async () => {
    const { bench, service, accounts } = setUp();
    await bench.signing.sign({ platformId: 'alpha', accountId: 'main', data: {} }, CONTEXT);
    await bench.signing.sign({ platformId: 'alpha', accountId: 'spare', data: {} }, CONTEXT);
    bench.serve([samplePlatform()], accounts.slice(0, 1));
    expect(acceptedValue(service.find('alpha', 'main')).usage).to.deep.equal({
      totalSigns: 1,
      lastSignAt: '2026-11-20T08:49:00.000Z',
      errorCount: 0,
    });
    bench.serve([samplePlatform()], accounts.slice(2));
    expect(everything(service.list()).map(({ usage }) => usage)).to.deep.equal([{ ...UNUSED, errorCount: 1 }]);
  });

  describe('in pages', () => {
    const idsOf = ({ accounts }: AccountPage) =>
      accounts.map(({ profile }) => `${profile.platformId}/${profile.accountId}`);

    it('lists each account once, by platformId and accountId in the order of their code units', async () => {
      const { service } = setUp();
      const first = await service.page({ limit: 2, after: null });
      expect(idsOf(first)).to.deep.equal(['alpha/main', 'alpha/spare']);
      expect(first.next).to.deep.equal({ platformId: 'alpha', accountId: 'spare' });
      const second = await service.page({ limit: 2, after: first.next });
      expect(idsOf(second)).to.deep.equal(['beta/main']);
      expect(second.next).to.equal(null);
    });

    it('ends with a page that is just full', async () => {
      const { service } = setUp();
      expect((await service.page({ limit: 3, after: null })).next).to.equal(null);
    });

    it('lists those of one platform, wherever the page before ended', async () => {
      const { service } = setUp();
      const page = (platformId: string, after: AccountPosition | null) => service.page({ platformId, limit: 1, after });
      expect(idsOf(await page('beta', null))).to.deep.equal(['beta/main']);
      expect(idsOf(await page('beta', { platformId: 'alpha', accountId: 'spare' }))).to.deep.equal(['beta/main']);
      expect(await page('alpha', { platformId: 'beta', accountId: 'main' })).to.deep.equal({
        accounts: [],
        next: null,
      });
      expect(await page('nowhere', null)).to.deep.equal({ accounts: [], next: null });
      const first = await page('alpha', null);
      expect(idsOf(first)).to.deep.equal(['alpha/main']);
      const second = await page('alpha', first.next);
      expect(idsOf(second)).to.deep.equal(['alpha/spare']);
      expect(second.next).to.equal(null);
    });

    it('has every account that is there all the time on exactly one page, whatever is reloaded between them', async () => {
      const { bench, service } = setUp();
      const key = bench.enrol({}, samplePrivateKey(1));
      const accountsOf = (ids: readonly string[]) => ids.map((accountId) => ({ ...key, accountId }));
      const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,3}$/);
      const ids = fc.uniqueArray(id, { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(
          ids,
          fc.array(ids, { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: 7 }),
          async (lasting, others, limit) => {
            const seen: string[] = [];
            let after: AccountPosition | null = null;
            for (let turn = 0; ; turn += 1) {
              const passing = others[turn % others.length]?.filter((other) => !lasting.includes(other)) ?? [];
              const shuffled = turn % 2 === 0 ? [...passing, ...lasting] : [...lasting.toReversed(), ...passing];
              bench.serve([samplePlatform()], accountsOf(shuffled));
              const page: AccountPage = await service.page({ limit, after });
              expect(page.accounts.length).to.be.at.most(limit);
              seen.push(...page.accounts.map(({ profile }) => profile.accountId));
              if (page.next === null) break;
              after = page.next;
            }
            expect(seen.filter((each) => lasting.includes(each))).to.deep.equal([...lasting].sort());
            expect(new Set(seen).size).to.equal(seen.length);
          },
        ),
      );
    });

    it('keeps no key of a generation that was replaced', async () => {
      const { bench, service } = setUp();
      const replaced = bench.registry.current;
      const list = service.list();
      await service.page({ limit: 1, after: null });
      bench.serve([samplePlatform()], []);
      let isUnused = false;
      bench.registry.whenUnused(replaced, () => {
        isUnused = true;
      });
      expect(isUnused).to.equal(true);
      expect(everything(list)).to.have.length(3);
    });
  });
});
