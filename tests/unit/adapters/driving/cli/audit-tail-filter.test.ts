import { expect } from 'chai';
import { recordFilter } from '../../../../../src/adapters/driving/cli/audit-tail-filter.ts';
import type { FilterFields } from '../../../../../src/domain/model/audit-sighting.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

describe('Filters of audit tail', () => {
  const main = sampleAuditEntry({ platformId: 'alpha', accountId: 'main' });
  const other = sampleAuditEntry({ platformId: 'beta', accountId: 'main', outcome: 'refused' });
  const hedge = sampleAuditEntry({ platformId: 'alpha', accountId: 'hedge', outcome: 'failed' });
  const nameless = sampleAuditEntry({ platformId: null, accountId: null, outcome: 'refused' });
  const start = sampleAuditEntry({ event: 'start', platformId: null, accountId: null });
  const reload = sampleAuditEntry({ event: 'reload', platformId: null, accountId: null, outcome: 'failed' });
  const segment: FilterFields = { ...start, event: 'segment' };
  const all: readonly FilterFields[] = [main, other, hedge, nameless, start, reload, segment];

  function kept(filter: Parameters<typeof recordFilter>[0]): readonly FilterFields[] {
    return all.filter(recordFilter(filter) ?? (() => true));
  }

  it('is none when nothing is asked for', () => {
    expect(recordFilter({})).to.equal(null);
  });

  it('keeps the signatures of an account id on every platform, or of one account', () => {
    expect(kept({ account: ['main'] })).to.deep.equal([main, other]);
    expect(kept({ account: ['beta/main'] })).to.deep.equal([other]);
    expect(kept({ account: ['beta/main', 'hedge'] })).to.deep.equal([other, hedge]);
    expect(kept({ account: ['alpha/nobody', 'null', 'null/null', 'alpha'] })).to.deep.equal([]);
  });

  it('keeps the signatures of an outcome', () => {
    expect(kept({ outcome: ['refused'] })).to.deep.equal([other, nameless]);
    expect(kept({ outcome: ['refused', 'failed'] })).to.deep.equal([other, hedge, nameless]);
  });

  it('wants both account and outcome where both are given', () => {
    expect(kept({ account: ['main'], outcome: ['refused'] })).to.deep.equal([other]);
  });

  it('keeps other events when they are named, by their outcome, too, but whatever account is named', () => {
    expect(kept({ event: ['start', 'segment'] })).to.deep.equal([start, segment]);
    expect(kept({ event: ['sign', 'reload'], outcome: ['failed'] })).to.deep.equal([hedge, reload]);
    expect(kept({ event: ['sign', 'start'], account: ['hedge'] })).to.deep.equal([hedge, start]);
  });

  it('keeps the verifications of an account, when they are named', () => {
    const ofMain = sampleAuditEntry({ event: 'verify', platformId: 'alpha', accountId: 'main' });
    const ofHedge = { ...ofMain, accountId: 'hedge' };
    const keep = recordFilter({ event: ['verify'], account: ['alpha/main'] });
    expect([ofMain, ofHedge, main, start].filter((record) => keep?.(record))).to.deep.equal([ofMain]);
  });
});
