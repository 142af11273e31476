import { expect } from 'chai';
import { parseSince, recordFilter } from '../../../../../src/adapters/cli/audit/tail-command.ts';
import type { AuditRecord } from '../../../../../src/domain/model/audit-entry.ts';
import { sampleAuditRecord } from '../../../../doubles/sample-audit-entry.ts';

describe('audit tail filter', () => {
  const main = sampleAuditRecord({ platformId: 'alpha', accountId: 'main' });
  const other = sampleAuditRecord({ platformId: 'beta', accountId: 'main', outcome: 'refused' });
  const hedge = sampleAuditRecord({ platformId: 'alpha', accountId: 'hedge', outcome: 'failed' });
  const nameless = sampleAuditRecord({ platformId: null, accountId: null, outcome: 'refused' });
  const start = sampleAuditRecord({ event: 'start', platformId: null, accountId: null });
  const reload = sampleAuditRecord({ event: 'reload', platformId: null, accountId: null, outcome: 'failed' });
  const segment = sampleAuditRecord({ event: 'segment', platformId: null, accountId: null });
  const read = sampleAuditRecord({ event: 'read', platformId: 'alpha', accountId: 'main', outcome: 'refused' });
  const status = sampleAuditRecord({ event: 'status', platformId: null, accountId: null, outcome: 'refused' });
  const all: readonly AuditRecord[] = [main, other, hedge, nameless, start, reload, segment, read, status];

  function kept(filter: Parameters<typeof recordFilter>[0]): readonly AuditRecord[] {
    return all.filter(recordFilter(filter) ?? (() => true));
  }

  it('keeps the records of an account id on every platform, or of one account', () => {
    expect(kept({ account: ['main'] })).to.deep.equal([main, other, read]);
    expect(kept({ account: ['beta/main'] })).to.deep.equal([other]);
    expect(kept({ account: ['beta/main', 'hedge'] })).to.deep.equal([other, hedge]);
    expect(kept({ account: ['alpha/nobody', 'null', 'null/null', 'alpha'] })).to.deep.equal([]);
  });

  it('keeps all records with a given outcome, refused reads included', () => {
    expect(kept({ outcome: ['refused'] })).to.deep.equal([other, nameless, read, status]);
    expect(kept({ outcome: ['refused', 'failed'] })).to.deep.equal([other, hedge, nameless, reload, read, status]);
  });

  it('keeps named events without an account, filtered by outcome but not by account', () => {
    expect(kept({ event: ['start', 'segment'] })).to.deep.equal([start, segment]);
    expect(kept({ event: ['sign', 'reload'], outcome: ['failed'] })).to.deep.equal([hedge, reload]);
    expect(kept({ event: ['sign', 'start'], account: ['hedge'] })).to.deep.equal([hedge, start]);
  });
});

const NOW = Date.parse('2026-11-20T12:00:00.500Z');

describe('audit tail --since', () => {
  const understood: readonly (readonly [string, string])[] = [
    ['30s', '2026-11-20T11:59:30.500Z'],
    ['1w', '2026-11-13T12:00:00.500Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T08:49', '2026-11-20T08:49:00.000Z'],
    ['2026-11-20 08:49:01', '2026-11-20T08:49:01.000Z'],
    ['2026-11-20T08:49+01:00', '2026-11-20T07:49:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ];
  it('is a duration before now or a UTC time', () => {
    for (const [text, time] of understood) expect(parseSince(text, NOW), text).to.equal(time);
  });

  it('is nothing else', () => {
    for (const text of [
      ...['', '15', 'm', '-5m', '1.5h', '1h30m', '9999999d', '2026-11', ' 15m', '2026-02-29', '2026-11-20T24:00'],
      '2026-11-20T08:49Z\n',
    ]) {
      expect(parseSince(text, NOW), JSON.stringify(text)).to.equal(null);
    }
  });
});
