import { expect } from 'chai';
import { findGaps, formatIssue, formatVerdict } from '../../../../../src/adapters/cli/audit/verify-report.ts';
import type { AuditCheck } from '../../../../../src/adapters/cli/cli-context.ts';
import { Page } from '../../../../../src/adapters/cli/terminal/page.ts';
import { PLAIN_STYLE } from '../../../../../src/adapters/cli/terminal/style.ts';
import type { AuditVerdict, LateChainStart, VerifiedChain } from '../../../../../src/domain/model/audit-verdict.ts';

const [FIRST, LAST] = ['2026-11-20T08:49:00.123Z', '2026-11-20T09:12:13.456Z'];

const CHAIN: VerifiedChain = {
  files: [
    { file: '/a/audit.000000000001.jsonl', first: { seq: 1, time: FIRST }, last: { seq: 7, time: FIRST } },
    { file: '/a/audit.000000000008.jsonl', first: { seq: 8, time: FIRST }, last: { seq: 1200, time: LAST } },
  ],
  instanceIds: ['signer-1', 'signer-2'],
  publicKeys: ['a2V5IG9uZQ==', 'a2V5IHR3bw=='],
  first: { seq: 1, time: FIRST },
  last: { seq: 1200, time: LAST, hash: `sha256:${'0a'.repeat(32)}` },
  records: 1200,
  events: { start: { success: 1, refused: 0, failed: 0 }, sign: { success: 1000, refused: 90, failed: 10 } },
  checkpoints: 12,
  covered: 1199,
  uncovered: 0,
  clockSetBacks: null,
};
const VERDICT: AuditVerdict = {
  issue: null,
  notes: [],
  chains: [CHAIN],
  reached: [],
  lateChainStarts: [],
  leftOut: [],
  bytes: 1_000_000,
};
const CONFIGURED_KEY = { source: 'configured', file: 'config/audit.key.pub' } as const;

const toCheck = (verdict: Partial<AuditVerdict>, parts: Partial<AuditCheck> = {}): AuditCheck => ({
  verdict: { ...VERDICT, ...verdict },
  keys: { source: 'given' },
  usage: null,
  ...parts,
});

/** The report of a verification that took 0.12 s. */
const report = (verdict: Partial<AuditVerdict>, parts: Partial<AuditCheck> = {}) =>
  formatVerdict(toCheck(verdict, parts), 0.12, new Page(PLAIN_STYLE));

describe('The report of audit verify', () => {
  it('shows what was verified: files, range, instances, keys, events, signatures, speed', () => {
    expect(report({})).to.equal(
      [
        `Records 1 to 1200 (1200), ${FIRST} to ${LAST}, are in order.`,
        '  instances       signer-1, signer-2',
        '  files           /a/audit.000000000001.jsonl (1 to 7)',
        '                  /a/audit.000000000008.jsonl (8 to 1200)',
        '  events          start 1; sign 1100 (1000 success, 90 refused, 10 failed)',
        '  signed records  12',
        '  public key      a2V5IG9uZQ==',
        '  then            a2V5IHR3bw==',
        '',
        'Verified: 1200 records, 2 files, 1 chain; 1000000 bytes in 0.12 s, 8.3 MB/s',
        '',
      ].join('\n'),
    );
  });

  it('shows no speed for files that are too small for one', () => {
    expect(report({ bytes: 2048 })).to.match(/; 2048 bytes in 0\.12 s\n$/);
  });

  it('names the configured key', () => {
    expect(report({}, { keys: CONFIGURED_KEY })).to.include(
      '\n\nTrusted key: config/audit.key.pub (SIGNING_AUDIT_KEY_FILE)',
    );
  });

  it('is incomplete if records follow the last signed one', () => {
    const text = report({ chains: [{ ...CHAIN, uncovered: 12 }] });
    expect(text)
      .to.match(/\n\nThe last 12 records \(from 1189 on\) are not covered by a signature: .*\n\nIncomplete: /)
      .and.not.include('Verified');
    expect(report({ chains: [{ ...CHAIN, uncovered: 1 }] })).to.include(
      'The last record (1200) is not covered by a signature',
    );
  });

  it('points out a chain that begins late, which is complete', () => {
    expect(report({ chains: [{ ...CHAIN, first: { seq: 8, time: FIRST } }] })).to.match(
      /\n {2}The first record is 8: earlier files were not given\.\n\nVerified: /,
    );
  });

  it('is incomplete, with their number, when files were left out', () => {
    const leftOut = [
      { file: '/a/audit.000000000020.jsonl.gz', reason: 'not-given' },
      { file: '/a/audit.000000000030.jsonl', reason: 'not-given' },
      { file: '/a/audit.000000000040.jsonl', reason: 'unreadable' },
      { file: '/a/audit.000000000050.jsonl.xz', reason: 'compressed' },
      { file: '/a/audit.000000000060.jsonl', reason: 'removed' },
    ] as const;
    const [first, second, unreadable, compressed, removed] = leftOut.map(({ file }) => file);
    const gaps = findGaps(toCheck({ leftOut }));
    expect(gaps).to.have.lengthOf(4);
    for (const [index, text] of [
      `2 audit files were left out: ${first}, ${second}. Their records were not verified`,
      `1 unreadable file was left out: ${unreadable}. This user cannot read them`,
      `1 compressed file was left out: ${compressed}. Decompress them`,
      `1 deleted file was left out: ${removed}. They were deleted meanwhile`,
    ].entries())
      expect(gaps[index]).to.include(text);
  });

  it('is incomplete if files before a chain may be missing, and says why', () => {
    const [file, before] = ['/a/audit.000000000041.jsonl', { file: '/a/audit.000000000001.jsonl', lastSeq: 7 }];
    const gap = (start: Pick<LateChainStart, 'reason' | 'before'>) =>
      report({ lateChainStarts: [{ file, firstSeq: 41, ...start }] });
    const begins = `${file} begins with record 41. The records before it were not given, so it is not proven that none are missing.`;
    expect(gap({ reason: null, before })).to.include(`${begins} ${before.file} ends with record 7: if both`);
    expect(gap({ reason: 'truncated', before: null })).to.include(
      `${begins} The service started that file because another program truncated the previous one. Also pass`,
    );
  });

  it('names skipped files, even with an issue', () => {
    const notes = [{ file: '/a/audit.000000000020.jsonl', message: 'is empty: so' }];
    expect(report({ notes })).to.include('\n\nNote: /a/audit.000000000020.jsonl is empty: so.\n\n');
    const issue = { file: '/a/audit.000000000008.jsonl', line: 1, message: 'is record 8: so' };
    expect(formatIssue(issue, toCheck({ notes }))).to.match(
      /\nNot verified\.\n.*\nNote: \/a\/audit\.0+20\.jsonl is empty: so\.$/s,
    );
  });

  it('names where and how far the clock was set back, which is no fault', () => {
    const at = { seq: 9, time: FIRST };
    const first = {
      file: '/a/audit.000000000008.jsonl',
      line: 2,
      at,
      before: { seq: 8, time: LAST },
      milliseconds: 2500,
    };
    const clockSetBacks = { count: 1, first, largestMilliseconds: 2500 };
    expect(report({ chains: [{ ...CHAIN, clockSetBacks }] }))
      .to.match(/clock set back +once, by 2\.5 s, between records 8 and 9\n/)
      .and.include('Verified: ');
    const more = { ...clockSetBacks, count: 3, largestMilliseconds: 60_000 };
    expect(report({ chains: [{ ...CHAIN, clockSetBacks: more }] })).to.include(
      'clock set back  3 times, first by 2.5 s between records 8 and 9, at most by 60 s',
    );
  });

  it('shows usage as a table', () => {
    const accounts = [{ platformId: 'alpha', accountId: 'main', totalSigns: 7, lastSignAt: LAST, errorCount: 2 }];
    const usage = { accounts, totals: { totalSigns: 7, errorCount: 3 } };
    expect(report({}, { usage })).to.match(
      /PLATFORM +ACCOUNT +SIGNATURES +LAST SIGNATURE +ERRORS\nalpha +main +7 +2026-11-20T09:12:13\.456Z +2\nTotal: 7 signatures, 3 errors\n\nVerified/,
    );
    expect(report({ chains: [{ ...CHAIN, first: { seq: 8, time: FIRST } }] }, { usage })).to.include(
      '3 errors\nCounted in these files only: the service also counts',
    );
  });

  it('reports as in order before an issue only the records that a signature covers', () => {
    const issue = { file: '/a/audit.000000000008.jsonl', line: 8, message: 'was altered: so' };
    const inOrder = (chain: VerifiedChain): string =>
      formatIssue(issue, toCheck({ chains: [chain] }))
        .split('\n')
        .slice(2)
        .join('\n');
    expect(inOrder({ ...CHAIN, covered: 1187, uncovered: 12 })).to.equal(
      'Verified before the fault:\n  records 1 to 1188, in /a/audit.000000000001.jsonl, /a/audit.000000000008.jsonl',
    );
    expect(inOrder({ ...CHAIN, covered: 5, uncovered: 1194 })).to.equal(
      'Verified before the fault:\n  records 1 to 6, in /a/audit.000000000001.jsonl',
    );
    expect(inOrder({ ...CHAIN, covered: 0, uncovered: 1200 })).to.equal('');
  });
});
