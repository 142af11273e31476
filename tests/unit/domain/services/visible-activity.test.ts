import { expect } from 'chai';
import {
  type ActivityReport,
  hideAccounts,
  type RecentRecord,
} from '../../../../src/domain/services/recent-activity.ts';
import type { ReloadResult } from '../../../../src/domain/services/reload-description.ts';

const EMPTY: ActivityReport = {
  ...{ intervalSeconds: 5, signatures: [1], refusals: [2], records: [], lastLoad: null },
  refusedBy: { accounts: [], callers: [], policies: [], others: { accounts: 3, callers: 0, policies: 0 } },
};

describe('Activity for a caller that may read one account', () => {
  const show = (report: ActivityReport) =>
    hideAccounts(report, ({ platformId, accountId }) => platformId === 'alpha' && accountId === 'own');

  it('names no other account in refusals, but counts them', () => {
    const refused = { platformId: 'alpha', lastCode: 'FORBIDDEN', lastAt: '2026-11-20T08:49:00.000Z' };
    const own = { ...refused, accountId: 'own', count: 2 };
    const accounts = [{ ...refused, accountId: 'other', count: 5 }, own];
    const { refusedBy } = show({ ...EMPTY, refusedBy: { ...EMPTY.refusedBy, accounts } });
    expect(refusedBy.accounts).to.deep.equal([own]);
    expect(refusedBy.others.accounts).to.equal(8);
  });

  it('has no record of another account', () => {
    const record: RecentRecord = {
      ...({ time: '2026-11-20T08:49:00.000Z', event: 'sign', outcome: 'success', errorCode: null } as const),
      ...{ platformId: 'alpha', accountId: 'own', principal: null, policy: null, correlationId: null },
    };
    const load: RecentRecord = { ...record, event: 'reload', platformId: null, accountId: null };
    const records: readonly RecentRecord[] = [
      record,
      { ...record, accountId: 'other' },
      load,
      { ...record, platformId: 'beta' },
    ];
    expect(show({ ...EMPTY, records }).records).to.deep.equal([record, load]);
  });

  it('has no name and no key of another account that the last load changed', () => {
    const rekeyed = (account: string) => ({ account, previousPublicKey: 'old', publicKey: 'new' });
    const lastLoad = {
      accountCount: 9,
      accounts: {
        ...{ added: ['alpha/own', 'alpha/other', 'beta/own'], rekeyed: [rekeyed('alpha/other')] },
        more: { added: 4, rekeyed: 0 },
      },
      keys: { added: [{ account: 'alpha/other', keyId: 'k' }], more: { added: 0 } },
    } as unknown as ReloadResult;
    expect(show({ ...EMPTY, lastLoad }).lastLoad).to.deep.equal({
      accountCount: 9,
      accounts: { added: ['alpha/own'], rekeyed: [], more: { added: 6, rekeyed: 1 } },
      keys: { added: [], more: { added: 1 } },
    });
  });
});
