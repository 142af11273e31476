import { expect } from 'chai';
import fc from 'fast-check';
import { WildcardPattern } from '../../../../src/domain/model/text/wildcard-pattern.ts';
import {
  type AccountList,
  type AccountPage,
  type AccountPosition,
  AccountService,
  type PageRequest,
} from '../../../../src/domain/services/account-service.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { CONTEXT, createWorkbench } from './signing-workbench.ts';

/** A service for accounts with these ids, `platformId/accountId`, of one key. */
function setUp(clock?: BusyClock) {
  const bench = createWorkbench(clock === undefined ? {} : { clock });
  const key = bench.enrol({}, samplePrivateKey(1));
  const service = new AccountService(bench.registry, bench.usage, bench.clock);
  /** @param readable patterns of the accounts that the caller may read; default: all */
  const serve = (ids: readonly string[], readable?: readonly string[]) => {
    const accounts = ids.map((id) => {
      const [platformId = '', accountId = ''] = id.split('/');
      return { ...key, platformId, accountId };
    });
    const entries = readable && [{ principals: ['desk-7'], accounts: readable, operations: ['read'] as const }];
    bench.serve([samplePlatform(), samplePlatform({ platformId: 'beta' })], accounts, entries ?? null);
  };
  const page = (wanted: PageRequest) => service.page(CONTEXT, wanted);
  return { bench, service, serve, page };
}

async function idsOfList({ length, slice }: AccountList): Promise<readonly string[]> {
  return (await slice(0, length)).map(({ profile }) => `${profile.platformId}/${profile.accountId}`);
}

const idsOf = ({ accounts }: AccountPage) =>
  accounts.map(({ profile }) => `${profile.platformId}/${profile.accountId}`);

/** `platformId/accountId` by platformId, then accountId. */
function byIds(left: string, right: string): number {
  const [one, other] = [left.split('/'), right.split('/')];
  return one.map((id, index) => (id === other[index] ? 0 : id < (other[index] ?? '') ? -1 : 1)).find(Boolean) ?? 0;
}

describe('AccountService', () => {
  it('completes a started list unchanged if permissions change meanwhile', async () => {
    const { bench, service, serve } = setUp();
    const ids = ['alpha/main', 'beta/main', 'alpha/spare'];
    serve(ids);
    const list = service.list(CONTEXT);
    bench.serve([samplePlatform()], bench.registry.current.accounts(), []);
    expect(await idsOfList(list)).to.deep.equal(ids);
    expect(await idsOfList(service.list(CONTEXT))).to.deep.equal([]);
  });

  describe('in pages', () => {
    it('lists the accounts of one platform, wherever the previous page ended', async () => {
      const { serve, page } = setUp();
      serve(['alpha/main', 'beta/main', 'alpha/spare']);
      const pageOf = async (platformId: string, after: AccountPosition | null) =>
        idsOf(await page({ platformId, limit: 1, after }));
      expect(await pageOf('beta', { platformId: 'alpha', accountId: 'main' })).to.deep.equal(['beta/main']);
      expect(await pageOf('alpha', { platformId: 'beta', accountId: 'main' })).to.deep.equal([]);
    });

    it('returns every lasting account on exactly one page, despite reloads between pages', async () => {
      const { serve, page } = setUp();
      const ids = fc.uniqueArray(fc.stringMatching(/^alpha\/[A-Za-z0-9][A-Za-z0-9._:@+-]{0,3}$/), { maxLength: 30 });
      const others = fc.array(ids, { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(ids, others, fc.integer({ min: 1, max: 7 }), async (lasting, all, limit) => {
          const seen: string[] = [];
          let after: AccountPosition | null = null;
          for (let turn = 0; ; turn += 1) {
            const passing = all[turn % all.length]?.filter((other) => !lasting.includes(other)) ?? [];
            serve(turn % 2 === 0 ? [...passing, ...lasting] : [...lasting.toReversed(), ...passing]);
            const found: AccountPage = await page({ limit, after });
            expect(found.accounts.length).to.be.at.most(limit);
            seen.push(...idsOf(found));
            if (found.next === null) break;
            after = found.next;
          }
          expect(seen.filter((each) => lasting.includes(each))).to.deep.equal([...lasting].sort());
          expect(new Set(seen).size).to.equal(seen.length);
        }),
      );
    });

    it('returns full pages of readable accounts, each once, for any accounts and permissions', async () => {
      const { service, serve, page } = setUp();
      const ids = fc.uniqueArray(fc.stringMatching(/^[ab]{1,3}\/[ab]{1,3}$/), { maxLength: 30 });
      const patterns = fc.array(fc.stringMatching(/^[ab*]{1,2}\/[ab*]{1,2}$/), { minLength: 1, maxLength: 3 });
      const platform = fc.option(fc.stringMatching(/^[ab]{1,2}$/), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(
          ...[ids, patterns, fc.integer({ min: 1, max: 7 }), platform],
          async (all, readable, limit, platformId) => {
            serve(all, readable);
            const wanted = all.filter(
              (id) =>
                readable.some((pattern) => new WildcardPattern(pattern).matches(id)) &&
                (platformId === undefined || id.startsWith(`${platformId}/`)),
            );
            expect(await idsOfList(service.list(CONTEXT, platformId))).to.have.members(wanted);
            const pages: (readonly string[])[] = [];
            for (let after: AccountPosition | null | undefined; after !== null; ) {
              const found: AccountPage = await page({ platformId, limit, after: after ?? null });
              pages.push(idsOf(found));
              after = found.next;
            }
            expect(pages.flat()).to.deep.equal(wanted.toSorted(byIds));
            for (const each of pages.slice(0, -1)) expect(each).to.have.length(limit);
            expect(pages).to.have.length(Math.max(1, Math.ceil(wanted.length / limit)));
          },
        ),
      );
    });

    it('yields while sorting many accounts, and does not change the configured order', async () => {
      const clock = new BusyClock(2);
      const { bench, serve, page } = setUp(clock);
      const configured = Array.from(
        { length: 3000 },
        (_, index) => `${index % 3 === 0 ? 'beta' : 'alpha'}/a-${(index * 7919) % 3001}`,
      );
      serve(configured);
      const before = clock.turns;
      expect(idsOf(await page({ limit: 3000, after: null }))).to.deep.equal(configured.toSorted(byIds));
      expect(clock.turns - before).to.be.at.least(20);
      const current = bench.registry.current.accounts();
      expect(current.map(({ platformId, accountId }) => `${platformId}/${accountId}`)).to.deep.equal(configured);
    });

    it('yields while searching many accounts for the few readable ones', async () => {
      const clock = new BusyClock(0.1);
      const { serve, page } = setUp(clock);
      const ids = Array.from({ length: 500 }, (_, index) => `alpha/a-${1000 + index}`);
      serve(ids, ['alpha/a-1499', 'alpha/a-1003']);
      await page({ limit: 1, after: null });
      const before = clock.turns;
      const found = await page({ limit: 1, after: { platformId: 'alpha', accountId: 'a-1003' } });
      expect(idsOf(found)).to.deep.equal(['alpha/a-1499']);
      expect(clock.turns - before).to.be.at.least(20);
    });
  });
});
