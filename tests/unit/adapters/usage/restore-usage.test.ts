import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../../src/adapters/audit/record/signed-record.ts';
import { gzipPath, segmentPath } from '../../../../src/adapters/audit/segments/segment-names.ts';
import { sha256Of } from '../../../../src/adapters/node/sha256.ts';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import {
  findSnapshot,
  replayUsage,
  restoreUsage,
  type UsageReplayResult,
} from '../../../../src/adapters/usage/restore-usage.ts';
import { snapshotPath, writeSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import type { AuditHead } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../doubles/audit-chain.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { countAll, useAuditFile } from './usage-samples.ts';

describe('restoreUsage', () => {
  const auditFile = useAuditFile();
  let log: RecordingServiceLog;
  let chain: AuditChain;
  let paths: readonly string[];

  beforeEach(() => {
    log = new RecordingServiceLog();
    chain = new AuditChain();
  });

  function append(count: number): void {
    for (let i = 0; i < count; i += 1) chain.append(sampleAuditEntry({ accountId: `a${i % 3}` }));
    paths = chain.write(auditFile());
  }

  /** A service that stops, or is killed, after a snapshot. */
  async function save(closed = false): Promise<void> {
    const state = countAll(chain.lines).state();
    await writeSnapshot(auditFile(), { head: chain.head, closed, savedAt: '2026-11-20T08:50:00.000Z', state });
  }

  /** A service that starts. */
  async function restore(): Promise<MemoryUsageLedger> {
    const ledger = new MemoryUsageLedger();
    const snapshot = await findSnapshot(auditFile(), log);
    await restoreUsage({ auditFile: auditFile(), snapshot, head: chain.head, ledger, log });
    return ledger;
  }

  const warnings = () => log.events.filter(({ level }) => level !== 'info');

  it('warns about a damaged snapshot by name, and counts the whole chain', async () => {
    append(20);
    await save();
    writeFileSync(snapshotPath(auditFile()), '{"version":1,"seq":21,');
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(warnings()).to.deep.equal([
      {
        level: 'warn',
        message: 'The snapshot of the usage counters is corrupt. Recounting from the audit records.',
        facts: { file: `${auditFile()}.usage` },
      },
    ]);
  });

  it('names the first counted record when earlier files and the snapshot are missing', async () => {
    append(20);
    chain.beginSegment('size');
    append(5);
    rmSync(paths[0] ?? '');
    expect((await restore()).state()).to.deep.equal(countAll(chain.files[1] ?? []).state());
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]?.level).to.equal('warn');
    expect(warnings()[0]?.message).to.match(/^Usage counters start at record 22: .* no snapshot/);
  });
});

const BESIDE = /^(?=.*audit\.jsonl\.usage)/;

/**
 * Three files with records 1-12, 13-24 and 25-36; each begins with a segment record, the first two
 * end signed.
 */
function threeFiles(): AuditChain {
  const chain = new AuditChain();
  for (let file = 0; file < 3; file += 1) {
    if (file > 0) chain.beginSegment('size');
    for (let i = 0; i < 11; i += 1) {
      chain.append(sampleAuditEntry({ accountId: `a${i % 3}`, outcome: i % 4 === 0 ? 'failed' : 'success' }));
    }
    if (file < 2) chain.sign();
  }
  return chain;
}

/** Number and hash of a record. */
function getPosition(chain: AuditChain, seq: number): AuditHead {
  if (seq === 0) return EMPTY_CHAIN;
  return { seq, hash: sha256Of(chain.lines[seq - 1] ?? '') };
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => expect.fail('should have rejected'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(AuditUnavailableError);
  return error as Error;
}

describe('replayUsage', () => {
  const auditFile = useAuditFile();

  /** Counts lines up to `from`, replays the rest, and expects the counters of `expected`. */
  async function expectReplay(
    chain: AuditChain,
    from: number,
    expected: readonly string[],
  ): Promise<UsageReplayResult> {
    const ledger = countAll(chain.lines.slice(0, from));
    const replayed = await replayUsage({
      auditFile: auditFile(),
      position: getPosition(chain, from),
      head: chain.head,
      ledger,
    });
    expect(ledger.state()).to.deep.equal(countAll(expected).state());
    return replayed;
  }

  const replay = (position: AuditHead, head: AuditHead, ledger = new MemoryUsageLedger()) =>
    replayUsage({ auditFile: auditFile(), position, head, ledger });

  it('counts from any record, across files, with the result of a full count', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    expect(chain.files.map((lines) => lines.length)).to.deep.equal([12, 12, 12]);
    for (const from of [0, 1, 11, 12, 13, 24, 30, 36]) {
      expect(await expectReplay(chain, from, chain.lines), `from ${from}`).to.deep.equal({
        records: 36 - from,
        missing: [],
      });
    }
  });

  it('counts compressed segments, and ignores what other programs appended', async () => {
    const chain = threeFiles();
    const [first = '', second = ''] = chain.write(auditFile());
    writeFileSync(`${first}.gz`, gzipSync(chain.text(0)));
    rmSync(first);
    appendFileSync(second, 'no record\n');
    for (const from of [0, 5, 18]) expect((await expectReplay(chain, from, chain.lines)).records).to.equal(36 - from);
  });

  it('passes over files of other programs that have the name of a segment', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    for (const [seq, content] of [
      [5, ''],
      [18, 'another file\n'],
      [19, chain.text(0)],
    ] as const)
      writeFileSync(segmentPath(auditFile(), seq), content);
    mkdirSync(segmentPath(auditFile(), 20));
    writeFileSync(gzipPath(segmentPath(auditFile(), 21)), gzipSync(chain.text(0)).subarray(0, 12));
    for (const from of [0, 4, 5, 17, 18, 20, 24]) {
      const expected = { records: 36 - from, missing: [] };
      expect(await expectReplay(chain, from, chain.lines), `from ${from}`).to.deep.equal(expected);
    }
  });

  it('counts up to the head, excluding records appended meanwhile', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    const { head } = chain;
    const upTo = chain.lines;
    chain.append();
    let counted = 0;
    const all = countAll([]);
    const count = all.count.bind(all);
    all.count = (record) => {
      counted += 1;
      count(record);
      if (counted === 1) chain.write(auditFile());
    };
    const replayed = await replayUsage({ auditFile: auditFile(), position: EMPTY_CHAIN, head, ledger: all });
    expect(replayed.records).to.equal(36);
    expect(all.state()).to.deep.equal(countAll(upTo).state());
  });

  describe('without earlier files', () => {
    it('continues from a position in the remaining files, or right before them', async () => {
      const chain = threeFiles();
      const [first = '', second = ''] = chain.write(auditFile());
      rmSync(first);
      for (const from of [12, 13, 20]) expect((await expectReplay(chain, from, chain.lines)).missing).to.deep.equal([]);
      rmSync(second);
      for (const from of [24, 25, 36]) expect((await expectReplay(chain, from, chain.lines)).missing).to.deep.equal([]);
    });

    it('counts the existing records, and reports the missing ones, also after a position', async () => {
      const chain = threeFiles();
      const [first = '', second = ''] = chain.write(auditFile());
      rmSync(first);
      expect(await expectReplay(chain, 0, chain.lines.slice(12))).to.deep.equal({
        records: 24,
        missing: [{ from: 1, to: 12 }],
      });
      rmSync(second);
      expect(await expectReplay(chain, 0, chain.lines.slice(24))).to.deep.equal({
        records: 12,
        missing: [{ from: 1, to: 24 }],
      });
      const counted = [...chain.lines.slice(0, 5), ...chain.lines.slice(24)];
      expect(await expectReplay(chain, 5, counted)).to.deep.equal({ records: 12, missing: [{ from: 6, to: 24 }] });
    });

    it('counts on both sides of segments that are missing, or were shortened', async () => {
      const chain = threeFiles();
      const [first = '', second = ''] = chain.write(auditFile());
      rmSync(second);
      truncateSync(first, chain.text(0).indexOf(chain.lines[9] ?? ''));
      const counted = [...chain.lines.slice(0, 9), ...chain.lines.slice(24)];
      expect(await expectReplay(chain, 0, counted)).to.deep.equal({ records: 21, missing: [{ from: 10, to: 24 }] });
    });
  });

  describe('rejects', () => {
    it('a chain that ends before the position', async () => {
      const chain = threeFiles();
      chain.write(auditFile());
      const { message } = await rejection(replay({ ...getPosition(chain, 36), seq: 37 }, chain.head));
      expect(message).to.include(`The audit file ${auditFile()} ends with record 36`).and.include('includes record 37');
      expect(message)
        .to.include(`move ${auditFile()}.usage to another folder`)
        .and.match(/Restore the original file/);
    });

    it('an audit file that lost its records', async () => {
      const { message } = await rejection(replay({ seq: 5, hash: `sha256:${'0c'.repeat(32)}` }, EMPTY_CHAIN));
      expect(message).to.include('has no records').and.include('includes record 5').and.match(BESIDE);
    });

    it('a chain with another record at the position: at its head, inside or at an end of a file, in an earlier one', async () => {
      for (const seq of [36, 30, 25, 12, 5]) {
        const chain = threeFiles();
        chain.write(auditFile());
        const ledger = new MemoryUsageLedger();
        const { message } = await rejection(replay({ seq, hash: `sha256:${'0c'.repeat(32)}` }, chain.head, ledger));
        expect(message).to.include(`Record ${seq} of the audit file ${auditFile()} differs`).and.match(BESIDE);
        expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
      }
    });

    it('altered, removed and invalid records, naming file and line', async () => {
      const chain = threeFiles();
      const [, second = ''] = chain.write(auditFile());
      const whole = chain.files[1] ?? [];
      for (const [lines, line] of [
        // The next line has the hash of the original.
        [whole.map((text, index) => (index === 4 ? text.replace('"accountId":"a0"', '"accountId":"a1"') : text)), 6],
        [whole.toSpliced(4, 1), 5],
        [whole.toSpliced(4, 1, 'x'.repeat(3_000_000)), 5],
        [whole.toSpliced(4, 1, threeFiles().files[1]?.[4] ?? ''), 5],
      ] as const) {
        writeFileSync(second, `${lines.join('\n')}\n`);
        const { message } = await rejection(replay(getPosition(chain, 2), chain.head));
        expect(message).to.include(`${second}, line ${line}: `).and.include('signing-service audit verify');
        expect(message).not.to.include('xxx');
      }
    });

    it('a compressed segment that is damaged, naming file and line', async () => {
      const chain = threeFiles();
      const [, second = ''] = chain.write(auditFile());
      writeFileSync(`${second}.gz`, gzipSync(chain.text(1)).subarray(0, -20));
      rmSync(second);
      const { message } = await rejection(replay(EMPTY_CHAIN, chain.head));
      expect(message).to.match(/audit\.000000000013\.jsonl\.gz, line \d+: .*signing-service audit verify/);
    });

    it('unreadable files, naming the cause', async () => {
      const chain = threeFiles();
      const path = join(dirname(auditFile()), 'file', 'audit.jsonl');
      writeFileSync(dirname(path), '');
      const replayed = replayUsage({ auditFile: path, position: EMPTY_CHAIN, head: chain.head, ledger: countAll([]) });
      const { message } = await rejection(replayed);
      expect(message).to.include(path).and.include('ENOTDIR');
    });
  });
});
