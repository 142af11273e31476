import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../../src/adapters/audit/record/signed-record.ts';
import { gzipPath, segmentPath } from '../../../../src/adapters/audit/segments/segment-names.ts';
import { sha256Of } from '../../../../src/adapters/node/sha256.ts';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { restoreUsage } from '../../../../src/adapters/usage/restore-usage.ts';
import type { AuditHead } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../doubles/audit-chain.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { countAll, useAuditFile } from './usage-samples.ts';

// tests/property/usage-replay.test.ts compares with a full count, for any history.

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

describe('restoreUsage', () => {
  const auditFile = useAuditFile();
  let chain: AuditChain;
  let paths: readonly string[];

  beforeEach(() => {
    chain = threeFiles();
    paths = chain.write(auditFile());
  });

  /** Number and hash of a record. */
  const position = (seq: number): AuditHead =>
    seq === 0 ? EMPTY_CHAIN : { seq, hash: sha256Of(chain.lines[seq - 1] ?? '') };

  /** Restores from a snapshot at a record, or without one. */
  async function restore(at: AuditHead | null) {
    const log = new RecordingServiceLog();
    const ledger = new MemoryUsageLedger();
    const state = countAll(chain.lines.slice(0, at?.seq ?? 0)).state();
    const snapshot = at && { head: at, closed: false, state };
    await restoreUsage({ auditFile: auditFile(), snapshot, head: chain.head, ledger, log });
    const missing = log.events.filter(({ level }) => level === 'warn').map(({ facts }) => [facts['from'], facts['to']]);
    return { ledger, missing, records: log.events.at(-1)?.facts['recordsCounted'] };
  }

  /** Expects the counters of these lines, and a warning for each range of missing records. */
  async function expectCount(from: number, lines: readonly string[], ...missing: readonly (readonly number[])[]) {
    const restored = await restore(from === 0 ? null : position(from));
    expect(restored.ledger.state(), `from ${from}`).to.deep.equal(countAll(lines).state());
    expect(restored.missing).to.deep.equal(missing);
  }

  async function rejection(at: AuditHead | null): Promise<string> {
    const error: unknown = await restore(at).then(
      () => expect.fail('should have rejected'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(AuditUnavailableError);
    return (error as Error).message;
  }

  it('counts from any record, across files, with the result of a full count', async () => {
    for (const from of [0, 1, 11, 12, 13, 24, 30, 36]) {
      await expectCount(from, chain.lines);
      expect((await restore(position(from))).records).to.equal(36 - from);
    }
  });

  it('counts compressed segments, and ignores what other programs appended', async () => {
    const [first = '', second = ''] = paths;
    writeFileSync(`${first}.gz`, gzipSync(chain.text(0)));
    rmSync(first);
    appendFileSync(second, 'no record\n');
    for (const from of [0, 5, 18]) await expectCount(from, chain.lines);
  });

  it('passes over files of other programs that have the name of a segment', async () => {
    for (const [seq, content] of [
      [5, ''],
      [18, 'another file\n'],
      [19, chain.text(0)],
    ] as const)
      writeFileSync(segmentPath(auditFile(), seq), content);
    mkdirSync(segmentPath(auditFile(), 20));
    writeFileSync(gzipPath(segmentPath(auditFile(), 21)), gzipSync(chain.text(0)).subarray(0, 12));
    for (const from of [0, 4, 5, 17, 18, 20, 24]) await expectCount(from, chain.lines);
  });

  it('counts the existing records, and names the missing ones', async () => {
    const [first = '', second = ''] = paths;
    rmSync(first);
    for (const from of [12, 13, 20]) await expectCount(from, chain.lines);
    await expectCount(0, chain.lines.slice(12), [1, 12]);
    rmSync(second);
    for (const from of [24, 25, 36]) await expectCount(from, chain.lines);
    await expectCount(0, chain.lines.slice(24), [1, 24]);
    await expectCount(5, [...chain.lines.slice(0, 5), ...chain.lines.slice(24)], [6, 24]);
  });

  it('counts on both sides of segments that are missing, or were shortened', async () => {
    const [first = '', second = ''] = paths;
    rmSync(second);
    truncateSync(first, chain.text(0).indexOf(chain.lines[9] ?? ''));
    await expectCount(0, [...chain.lines.slice(0, 9), ...chain.lines.slice(24)], [10, 24]);
  });

  it('rejects a chain that does not continue the snapshot, naming both and the remedy', async () => {
    for (const seq of [30, 25, 24, 12, 5]) {
      const message = await rejection({ seq, hash: `sha256:${'0c'.repeat(32)}` });
      expect(message).to.include(`does not continue record ${seq} in ${auditFile()}.usage`);
      expect(message).to.match(/Restore the original file\. .*move \S+\.usage to another folder/);
    }
  });

  it('rejects altered, removed and invalid records, naming file and line', async () => {
    const [, second = ''] = paths;
    const whole = chain.files[1] ?? [];
    for (const [lines, line] of [
      // The next line has the hash of the original.
      [whole.map((text, index) => (index === 4 ? text.replace('"accountId":"a0"', '"accountId":"a1"') : text)), 6],
      [whole.toSpliced(4, 1), 5],
      [whole.toSpliced(4, 1, 'x'.repeat(3_000_000)), 5],
      [whole.toSpliced(4, 1, threeFiles().files[1]?.[4] ?? ''), 5],
    ] as const) {
      writeFileSync(second, `${lines.join('\n')}\n`);
      const message = await rejection(position(2));
      expect(message).to.include(`${second}, line ${line}: `).and.include('signing-service audit verify');
      expect(message).not.to.include('xxx');
    }
  });

  it('rejects a compressed segment that is damaged, naming file and line', async () => {
    const [, second = ''] = paths;
    writeFileSync(`${second}.gz`, gzipSync(chain.text(1)).subarray(0, -20));
    rmSync(second);
    expect(await rejection(null)).to.match(/audit\.000000000013\.jsonl\.gz, line \d+: .*signing-service audit verify/);
  });
});
