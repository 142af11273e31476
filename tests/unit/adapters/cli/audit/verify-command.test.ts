import { mock } from 'node:test';
import { expect } from 'chai';
import { auditVerifyCommand } from '../../../../../src/adapters/cli/audit/verify-command.ts';
import type { AuditCheck, AuditCheckRequest, CliContext } from '../../../../../src/adapters/cli/cli-context.ts';
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

/** Runs the command with a fixed verdict. */
async function run(
  args: readonly string[],
  response: Partial<AuditCheck> = {},
  terminal: CliContext['terminal'] = null,
) {
  const requests: AuditCheckRequest[] = [];
  const seen = { stdout: '', refused: false, incomplete: false };
  let now = 0;
  const clock = mock.method(performance, 'now', () => now);
  const context = {
    environment: {},
    verifyAudit: async (_: object, request: AuditCheckRequest): Promise<AuditCheck> => {
      requests.push(request);
      now += 120;
      request.onProgress?.({ verified: 1, total: 2 });
      return { verdict: VERDICT, keys: { source: 'given' }, usage: null, ...response };
    },
    endAs: (outcome) => {
      if (outcome === 'refused') seen.refused = true;
      else seen.incomplete = true;
    },
    print: (text: string) => {
      seen.stdout += text;
    },
    terminal,
    output: PLAIN_STYLE,
    errors: PLAIN_STYLE,
  } as Partial<CliContext> as CliContext;
  const error = await auditVerifyCommand(context)
    .parseAsync([...args], { from: 'user' })
    .then(
      () => null,
      (reason: unknown) => reason,
    )
    .finally(() => clock.mock.restore());
  return { ...seen, error, request: requests[0] };
}

describe('audit verify', () => {
  it('reports what was verified: files, range, instances, keys, events, signatures, speed', async () => {
    const { stdout, error, refused, incomplete } = await run([]);
    expect([error, refused, incomplete]).to.deep.equal([null, false, false]);
    for (const text of [
      `Records 1 to 1200 (1200), ${FIRST} to ${LAST}, are in order.`,
      'instances       signer-1, signer-2',
      '/a/audit.000000000001.jsonl (1 to 7)',
      '/a/audit.000000000008.jsonl (8 to 1200)',
      'start 1; sign 1100 (1000 success, 90 refused, 10 failed)',
      'signed records  12',
      'public key      a2V5IG9uZQ==',
      'then            a2V5IHR3bw==',
    ]) {
      expect(stdout).to.include(text);
    }
    expect(stdout).to.match(/\nVerified: 1200 records, 2 files, 1 chain; 1000000 bytes in 0\.12 s, 8\.3 MB\/s\n$/);
  });

  it('names the configured key that it used', async () => {
    const { stdout, incomplete } = await run([], { keys: CONFIGURED_KEY });
    expect(incomplete).to.equal(false);
    expect(stdout).to.include('Trusted key: config/audit.key.pub (SIGNING_AUDIT_KEY_FILE)').and.include('\nVerified: ');
  });

  it('is incomplete if records follow the last signed one, and reports a chain that begins late', async () => {
    const { stdout, incomplete } = await run([], { verdict: { ...VERDICT, chains: [{ ...CHAIN, uncovered: 12 }] } });
    expect(incomplete).to.equal(true);
    expect(stdout).to.match(/The last 12 records \(from 1189 on\) are not covered by a signature:/);
    expect(stdout).to.not.include('Verified');
    const one = await run([], { verdict: { ...VERDICT, chains: [{ ...CHAIN, uncovered: 1 }] } });
    expect(one.stdout).to.include('The last record (1200) is not covered by a signature');
    const late = await run([], { verdict: { ...VERDICT, chains: [{ ...CHAIN, first: { seq: 8, time: FIRST } }] } });
    expect(late.incomplete).to.equal(false);
    expect(late.stdout).to.include('The first record is 8: earlier files were not given.');
  });

  it('is incomplete, with their number, when files were left out', async () => {
    const leftOut = [
      { file: '/a/audit.000000000020.jsonl.gz', reason: 'not-given' },
      { file: '/a/audit.000000000030.jsonl', reason: 'not-given' },
      { file: '/a/audit.000000000040.jsonl', reason: 'unreadable' },
      { file: '/a/audit.000000000050.jsonl.xz', reason: 'compressed' },
      { file: '/a/audit.000000000060.jsonl', reason: 'removed' },
    ] as const;
    const verdict = { ...VERDICT, leftOut };
    const { stdout, incomplete } = await run([], { verdict });
    expect(incomplete).to.equal(true);
    const [first, second, unreadable, compressed, removed] = leftOut.map(({ file }) => file);
    for (const text of [
      `2 audit files were left out: ${first}, ${second}. Their records were not verified`,
      `1 unreadable file was left out: ${unreadable}. This user cannot read them`,
      `1 compressed file was left out: ${compressed}. Decompress them`,
      `1 deleted file was left out: ${removed}. They were deleted meanwhile`,
    ])
      expect(stdout.replaceAll(/\s+/g, ' ')).to.include(text);
    const document = JSON.parse((await run(['--json'], { verdict })).stdout);
    expect(document.leftOut).to.deep.equal(leftOut.map(({ file }) => file));
    expect(document.incomplete).to.have.lengthOf(4);
  });

  it('is incomplete if files before a chain may be missing, and says why', async () => {
    const [file, before] = ['/a/audit.000000000041.jsonl', { file: '/a/audit.000000000001.jsonl', lastSeq: 7 }];
    const gap = async (start: Pick<LateChainStart, 'reason' | 'before'>) => {
      const lateChainStarts = [{ file, firstSeq: 41, ...start }];
      const { stdout, incomplete } = await run([], { verdict: { ...VERDICT, lateChainStarts } });
      expect(incomplete).to.equal(true);
      return stdout.replaceAll(/\s+/g, ' ');
    };
    const begins = `${file} begins with record 41. The records before it were not given, so it is not proven that none are missing.`;
    expect(await gap({ reason: null, before })).to.include(`${begins} ${before.file} ends with record 7: if both`);
    expect(await gap({ reason: 'truncated', before: null })).to.include(
      `${begins} The service started that file because another program truncated the previous one. Also pass`,
    );
  });

  it('names skipped files in text and JSON, even with an issue', async () => {
    const verdict = { ...VERDICT, notes: [{ file: '/a/audit.000000000020.jsonl', message: 'is empty: so' }] };
    expect((await run([], { verdict })).stdout).to.include('\nNote: /a/audit.000000000020.jsonl is empty: so.\n\n');
    expect(JSON.parse((await run(['--json'], { verdict })).stdout).notes).to.deep.equal(verdict.notes);
    const issue = { file: '/a/audit.000000000008.jsonl', line: 1, message: 'is record 8: so' };
    const { error } = await run([], { verdict: { ...verdict, issue } });
    expect((error as Error).message).to.match(/\nNot verified\.\n.*\nNote: \/a\/audit\.0+20\.jsonl is empty: so\.$/s);
  });

  it('names where and how far the clock was set back, which is no fault', async () => {
    const at = { seq: 9, time: FIRST };
    const first = {
      file: '/a/audit.000000000008.jsonl',
      line: 2,
      at,
      before: { seq: 8, time: LAST },
      milliseconds: 2500,
    };
    const clockSetBacks = { count: 1, first, largestMilliseconds: 2500 };
    const once = await run([], { verdict: { ...VERDICT, chains: [{ ...CHAIN, clockSetBacks }] } });
    expect([once.incomplete, once.refused]).to.deep.equal([false, false]);
    expect(once.stdout).to.match(/clock set back +once, by 2\.5 s, between records 8 and 9\n/);
    const more = { ...clockSetBacks, count: 3, largestMilliseconds: 60_000 };
    const verdict = { ...VERDICT, chains: [{ ...CHAIN, clockSetBacks: more }] };
    expect((await run([], { verdict })).stdout.replaceAll(/\s+/g, ' ')).to.include(
      'clock set back 3 times, first by 2.5 s between records 8 and 9, at most by 60 s',
    );
    const document = JSON.parse((await run(['--json'], { verdict })).stdout);
    expect(document.chains[0].clockSetBacks).to.deep.equal(more);
  });

  it('prints usage as a table', async () => {
    const accounts = [{ platformId: 'alpha', accountId: 'main', totalSigns: 7, lastSignAt: LAST, errorCount: 2 }];
    const { stdout } = await run(['--usage'], { usage: { accounts, totals: { totalSigns: 7, errorCount: 3 } } });
    expect(stdout).to.match(
      /PLATFORM +ACCOUNT +SIGNATURES +LAST SIGNATURE +ERRORS\nalpha +main +7 +2026-11-20T09:12:13\.456Z +2\nTotal: 7 signatures, 3 errors\n/,
    );
    expect(stdout).to.not.include('Counted in these files only');
    const later = { ...VERDICT, chains: [{ ...CHAIN, first: { seq: 8, time: FIRST } }] };
    const usage = { accounts, totals: { totalSigns: 7, errorCount: 3 } };
    const partial = await run(['--usage'], { verdict: later, usage });
    expect(partial.stdout).to.include('3 errors\nCounted in these files only: the service also counts');
  });

  it('reports as in order before an issue only the records that a signature covers', async () => {
    const issue = { file: '/a/audit.000000000008.jsonl', line: 8, message: 'was altered: so' };
    const inOrder = async (chain: VerifiedChain): Promise<string> => {
      const { error } = await run([], { verdict: { ...VERDICT, chains: [chain], issue } });
      return (error as Error).message.split('\n').slice(2).join('\n');
    };
    expect(await inOrder({ ...CHAIN, covered: 1187, uncovered: 12 })).to.equal(
      'Verified before the fault:\n  records 1 to 1188, in /a/audit.000000000001.jsonl, /a/audit.000000000008.jsonl',
    );
    expect(await inOrder({ ...CHAIN, covered: 5, uncovered: 1194 })).to.equal(
      'Verified before the fault:\n  records 1 to 6, in /a/audit.000000000001.jsonl',
    );
    expect(await inOrder({ ...CHAIN, covered: 0, uncovered: 1200 })).to.equal('');
  });
});
