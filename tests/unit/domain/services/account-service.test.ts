import { expect } from 'chai';
import fc from 'fast-check';
import type { Outcome } from '../../../../src/domain/model/outcome.ts';
import type { Caller } from '../../../../src/domain/model/sign-request.ts';
import { WildcardPattern } from '../../../../src/domain/model/text/wildcard-pattern.ts';
import {
  type AccountList,
  type AccountPage,
  type AccountPosition,
  AccountService,
  type AccountWithUsage,
  type PageRequest,
} from '../../../../src/domain/services/account-service.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
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
  const service = new AccountService(bench.registry, bench.usage, bench.clock);
  return { bench, accounts, service, page: pagesOf(service) };
}

function everything(list: Outcome<AccountList>): readonly AccountWithUsage[] {
  const { length, slice } = acceptedValue(list);
  return slice(0, length);
}

function pagesOf(service: AccountService, caller: Caller = CONTEXT) {
  return async (wanted: PageRequest) => acceptedValue(await service.page(caller, wanted));
}

const UNUSED = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** `platformId/accountId` by platformId, then accountId. */
function byIds(left: string, right: string): number {
  const [one, other] = [left.split('/'), right.split('/')];
  return one.map((id, index) => (id === other[index] ? 0 : id < (other[index] ?? '') ? -1 : 1)).find(Boolean) ?? 0;
}

/** All public fields of an account. */
const PROFILE_FIELDS = [
  'keyId',
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
      everything(service.list(CONTEXT)).map(({ profile, usage }) => [profile.platformId, profile.accountId, usage]),
    ).to.deep.equal([
      ['alpha', 'main', UNUSED],
      ['beta', 'main', UNUSED],
      ['alpha', 'spare', UNUSED],
    ]);
  });

  it('lists the accounts of one platform, and none for an unknown one', () => {
    const { service } = setUp();
    expect(everything(service.list(CONTEXT, 'alpha')).map(({ profile }) => profile.accountId)).to.deep.equal([
      'main',
      'spare',
    ]);
    expect(everything(service.list(CONTEXT, 'beta')).map(({ profile }) => profile.accountId)).to.deep.equal(['main']);
    expect(everything(service.list(CONTEXT, 'nowhere'))).to.deep.equal([]);
    expect(everything(service.list(CONTEXT, ''))).to.deep.equal([]);
  });

  it('finds one account', () => {
    const { service, accounts } = setUp();
    const { profile, usage } = acceptedValue(service.find(CONTEXT, 'alpha', 'main'));
    expect(profile).to.deep.equal({
      accountId: 'main',
      platformId: 'alpha',
      alias: 'Alpha main',
      status: 'active',
      environment: 'production',
      algorithm: 'ed25519',
      publicKey: accounts[0]?.publicKey,
      keyId: accounts[0]?.keyId,
      createdAt: '2026-01-02T03:04:05.678Z',
    });
    expect(usage).to.deep.equal(UNUSED);
  });

  it('reports which accounts are of a disabled platform, with their own status', async () => {
    const { bench, accounts, service, page } = setUp();
    bench.serve([samplePlatform({ status: 'disabled' }), samplePlatform({ platformId: 'beta' })], accounts);
    const shown = ({ profile, isPlatformDisabled }: AccountWithUsage) => [
      ...[profile.platformId, profile.accountId, profile.status, isPlatformDisabled],
    ];
    const [main, ofBeta, spare] = [
      ['alpha', 'main', 'active', true],
      ['beta', 'main', 'active', false],
      ['alpha', 'spare', 'disabled', true],
    ];
    expect(everything(service.list(CONTEXT)).map(shown)).to.deep.equal([main, ofBeta, spare]);
    expect((await page({ limit: 9, after: null })).accounts.map(shown)).to.deep.equal([main, spare, ofBeta]);
    expect(shown(acceptedValue(service.find(CONTEXT, 'alpha', 'main')))).to.deep.equal(main);
  });

  it('exposes only the public key of a key, not even its handle', async () => {
    const { service, page } = setUp();
    const shown = [
      ...everything(service.list(CONTEXT)),
      ...everything(service.list(CONTEXT, 'alpha')),
      ...(await page({ limit: 9, after: null })).accounts,
      acceptedValue(service.find(CONTEXT, 'beta', 'main')),
    ];
    for (const { profile } of shown) expect(profile).to.have.all.keys(...PROFILE_FIELDS);
  });

  it('opens no key', () => {
    const { bench, service } = setUp();
    everything(service.list(CONTEXT));
    service.find(CONTEXT, 'alpha', 'main');
    expect(bench.opened).to.deep.equal([]);
  });

  it('refuses an unknown account on a known or unknown platform, with both ids', () => {
    const { service } = setUp();
    for (const [platformId, accountId] of [
      ['alpha', 'nobody'],
      ['beta', 'spare'],
      ['nowhere', 'main'],
    ] as const) {
      const { code, details } = refusalOf(service.find(CONTEXT, platformId, accountId));
      expect(code).to.equal('ACCOUNT_NOT_FOUND');
      expect(details).to.deep.equal({ platformId, accountId });
    }
  });

  it('reports the usage of each account, also after a reload', async () => {
    const { bench, service, accounts } = setUp();
    await bench.signing.sign({ platformId: 'alpha', accountId: 'main', data: {} }, CONTEXT);
    await bench.signing.sign({ platformId: 'alpha', accountId: 'spare', data: {} }, CONTEXT);
    bench.serve([samplePlatform()], accounts.slice(0, 1));
    expect(acceptedValue(service.find(CONTEXT, 'alpha', 'main')).usage).to.deep.equal({
      totalSigns: 1,
      lastSignAt: '2026-11-20T08:49:00.000Z',
      errorCount: 0,
    });
    bench.serve([samplePlatform()], accounts.slice(2));
    expect(everything(service.list(CONTEXT)).map(({ usage }) => usage)).to.deep.equal([{ ...UNUSED, errorCount: 1 }]);
  });

  describe('for callers that may not read all accounts', () => {
    const permit = (...accounts: readonly string[]) => {
      const { bench, accounts: all, service } = setUp();
      const platforms = [samplePlatform(), samplePlatform({ platformId: 'beta' })];
      bench.serve(platforms, all, [{ principals: ['desk-7'], accounts, operations: ['read'] }]);
      return { service, page: pagesOf(service) };
    };

    it('lists and pages through only the accounts that they may read', async () => {
      const { service, page } = permit('*/main');
      const idOf = ({ profile }: AccountWithUsage) => `${profile.platformId}/${profile.accountId}`;
      expect(everything(service.list(CONTEXT)).map(idOf)).to.deep.equal(['alpha/main', 'beta/main']);
      expect(everything(service.list(CONTEXT, 'alpha')).map(idOf)).to.deep.equal(['alpha/main']);
      const first = await page({ limit: 1, after: null });
      expect(first.accounts.map(idOf)).to.deep.equal(['alpha/main']);
      expect(first.next).to.deep.equal({ platformId: 'alpha', accountId: 'main' });
      const second = await page({ limit: 1, after: first.next });
      expect(second.accounts.map(idOf)).to.deep.equal(['beta/main']);
      expect(second.next).to.equal(null);
    });

    it('finds readable accounts, denies others, and reports missing ones as missing', () => {
      const { service } = permit('beta/*');
      expect(acceptedValue(service.find(CONTEXT, 'beta', 'main')).profile.accountId).to.equal('main');
      const { code, details } = refusalOf(service.find(CONTEXT, 'alpha', 'main'));
      expect(code).to.equal('FORBIDDEN');
      expect(details).to.deep.equal({
        platformId: 'alpha',
        accountId: 'main',
        operation: 'read',
        principal: CONTEXT.principal,
        reason: 'PERMISSION_DENIED',
      });
      expect(refusalOf(service.find(CONTEXT, 'alpha', 'nobody')).code).to.equal('ACCOUNT_NOT_FOUND');
    });

    it('refuses callers that may read nothing, instead of returning an empty list', async () => {
      const { service } = permit('*/*');
      for (const caller of [{ principal: 'desk-8' }, { principal: null }]) {
        const page = await service.page(caller, { limit: 1, after: null });
        for (const refusal of [refusalOf(service.list(caller)), refusalOf(page)]) {
          expect(refusal.code).to.equal('FORBIDDEN');
          const principal = caller.principal ?? 'anonymous';
          expect(refusal.details).to.deep.equal({ operation: 'read', principal, reason: 'PERMISSION_DENIED' });
        }
      }
    });

    it('completes a started list unchanged if permissions change meanwhile', () => {
      const { bench, accounts, service } = setUp();
      const list = service.list(CONTEXT);
      bench.serve([samplePlatform()], accounts, []);
      expect(everything(list)).to.have.length(3);
      expect(refusalOf(service.list(CONTEXT)).code).to.equal('FORBIDDEN');
    });
  });

  describe('in pages', () => {
    const idsOf = ({ accounts }: AccountPage) =>
      accounts.map(({ profile }) => `${profile.platformId}/${profile.accountId}`);

    it('lists each account once, by platformId and accountId in code unit order', async () => {
      const { page } = setUp();
      const first = await page({ limit: 2, after: null });
      expect(idsOf(first)).to.deep.equal(['alpha/main', 'alpha/spare']);
      expect(first.next).to.deep.equal({ platformId: 'alpha', accountId: 'spare' });
      const second = await page({ limit: 2, after: first.next });
      expect(idsOf(second)).to.deep.equal(['beta/main']);
      expect(second.next).to.equal(null);
    });

    it('ends with a page that is exactly full', async () => {
      const { page } = setUp();
      expect((await page({ limit: 3, after: null })).next).to.equal(null);
    });

    it('lists the accounts of one platform, wherever the previous page ended', async () => {
      const { page } = setUp();
      const pageOf = (platformId: string, after: AccountPosition | null) => page({ platformId, limit: 1, after });
      expect(idsOf(await pageOf('beta', null))).to.deep.equal(['beta/main']);
      expect(idsOf(await pageOf('beta', { platformId: 'alpha', accountId: 'spare' }))).to.deep.equal(['beta/main']);
      expect(await pageOf('alpha', { platformId: 'beta', accountId: 'main' })).to.deep.equal({
        accounts: [],
        next: null,
      });
      expect(await pageOf('nowhere', null)).to.deep.equal({ accounts: [], next: null });
      const first = await pageOf('alpha', null);
      expect(idsOf(first)).to.deep.equal(['alpha/main']);
      const second = await pageOf('alpha', first.next);
      expect(idsOf(second)).to.deep.equal(['alpha/spare']);
      expect(second.next).to.equal(null);
    });

    it('returns every lasting account on exactly one page, despite reloads between pages', async () => {
      const { bench, page } = setUp();
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
              const found: AccountPage = await page({ limit, after });
              expect(found.accounts.length).to.be.at.most(limit);
              seen.push(...found.accounts.map(({ profile }) => profile.accountId));
              if (found.next === null) break;
              after = found.next;
            }
            expect(seen.filter((each) => lasting.includes(each))).to.deep.equal([...lasting].sort());
            expect(new Set(seen).size).to.equal(seen.length);
          },
        ),
      );
    });

    it('yields while sorting many accounts, and does not change the configured order', async () => {
      const clock = new BusyClock(2);
      const bench = createWorkbench({ clock });
      const account = bench.enrol({}, samplePrivateKey(1));
      const shuffled = Array.from({ length: 3000 }, (_, index) => `a-${(index * 7919) % 3001}`);
      const accounts = shuffled.map((accountId, index) => ({
        ...account,
        accountId,
        platformId: index % 3 === 0 ? 'beta' : 'alpha',
      }));
      bench.serve([samplePlatform(), samplePlatform({ platformId: 'beta' })], accounts);
      const service = new AccountService(bench.registry, bench.usage, clock);
      const before = clock.turns;
      const ids = idsOf(await pagesOf(service)({ limit: 3000, after: null }));
      const configured = accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`);
      expect(ids).to.deep.equal(configured.toSorted(byIds));
      expect(clock.turns - before).to.be.at.least(20);
      expect(bench.registry.current.accounts()).to.deep.equal(accounts);
    });

    it('yields while searching many accounts for the few readable ones', async () => {
      const clock = new BusyClock(0.1);
      const bench = createWorkbench({ clock });
      const account = bench.enrol({}, samplePrivateKey(1));
      const accounts = Array.from({ length: 500 }, (_, index) => ({ ...account, accountId: `a-${1000 + index}` }));
      bench.serve([samplePlatform()], accounts, [
        { principals: ['desk-7'], accounts: ['alpha/a-1499', 'alpha/a-1003'], operations: ['read'] },
      ]);
      const page = pagesOf(new AccountService(bench.registry, bench.usage, clock));
      await page({ limit: 1, after: null });
      const before = clock.turns;
      const found = await page({ limit: 1, after: { platformId: 'alpha', accountId: 'a-1003' } });
      expect(idsOf(found)).to.deep.equal(['alpha/a-1499']);
      expect(found.next).to.equal(null);
      expect(clock.turns - before).to.be.at.least(20);
    });

    it('returns full pages of readable accounts, each once, for any accounts and permissions', async () => {
      const { bench, service } = setUp();
      const key = bench.enrol({}, samplePrivateKey(1));
      const id = fc.stringMatching(/^[ab]{1,3}$/);
      const pairs = fc.uniqueArray(fc.tuple(id, id), { selector: (both) => both.join('/'), maxLength: 30 });
      const patterns = fc.array(fc.stringMatching(/^[ab*]{1,2}\/[ab*]{1,2}$/), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(
          pairs,
          fc.uniqueArray(patterns, { minLength: 1, maxLength: 2 }),
          fc.integer({ min: 1, max: 7 }),
          fc.option(id, { nil: undefined }),
          async (ids, lists, limit, platformId) => {
            const accounts = ids.map(([platform, accountId]) => ({ ...key, platformId: platform, accountId }));
            const entries = lists.map((patterns) => ({
              principals: ['desk-*'],
              accounts: patterns,
              operations: ['read'] as const,
            }));
            bench.serve([], accounts, entries);
            const mayBeRead = ([platform, account]: readonly [string, string]) =>
              lists.flat().some((pattern) => new WildcardPattern(pattern).matches(`${platform}/${account}`)) &&
              (platformId === undefined || platform === platformId);
            const wanted = ids.filter(mayBeRead).map((both) => both.join('/'));

            const listed = everything(service.list(CONTEXT, platformId));
            expect(listed.map(({ profile }) => `${profile.platformId}/${profile.accountId}`)).to.have.members(wanted);
            const pages: (readonly string[])[] = [];
            for (let after: AccountPosition | null | undefined; after !== null; ) {
              const found: AccountPage = await pagesOf(service)({ platformId, limit, after: after ?? null });
              pages.push(idsOf(found));
              after = found.next;
            }
            expect(pages.flat()).to.deep.equal(wanted.toSorted(byIds));
            for (const page of pages.slice(0, -1)) expect(page).to.have.length(limit);
            expect(pages).to.have.length(Math.max(1, Math.ceil(wanted.length / limit)));
          },
        ),
      );
    });
  });
});
