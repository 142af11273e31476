import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { findSnapshot, restoreUsage } from '../../../../../src/adapters/driven/usage-ledger/restore-usage.ts';
import { snapshotPath, writeSnapshot } from '../../../../../src/adapters/driven/usage-ledger/usage-snapshot.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { countAll } from './count-all.ts';
import { sampleSnapshot } from './sample-snapshot.ts';
import { useAuditFile } from './temporary-audit-file.ts';

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

  /** What a service does that stops, or is killed, after it wrote a snapshot. */
  async function save(closed = false): Promise<void> {
    const state = countAll(chain.lines).state();
    await writeSnapshot(auditFile(), { head: chain.head, closed, savedAt: '2026-11-20T08:50:00.000Z', state });
  }

  /** What a service does that starts. */
  async function restore(): Promise<MemoryUsageLedger> {
    const ledger = new MemoryUsageLedger();
    const snapshot = await findSnapshot(auditFile(), log);
    await restoreUsage({ auditFile: auditFile(), snapshot, head: chain.head, ledger, log });
    return ledger;
  }

  const warnings = () => log.events.filter(({ level }) => level !== 'info');

  it('counts the whole chain where there is no snapshot', async () => {
    append(20);
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(log.events).to.deep.equal([
      { level: 'info', message: 'Usage counters restored.', facts: { snapshot: null, recordsCounted: 21 } },
    ]);
  });

  it('takes the snapshot and counts what followed it, over a rotation', async () => {
    append(20);
    await save();
    append(5);
    chain.beginSegment('size');
    append(5);
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(log.events).to.deep.equal([
      { level: 'info', message: 'Usage counters restored.', facts: { snapshot: 21, recordsCounted: 11 } },
    ]);
  });

  it('needs no file where the snapshot says it all, as after a stop', async () => {
    append(20);
    await save(true);
    rmSync(auditFile());
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(warnings()).to.deep.equal([]);
  });

  it('needs no earlier files where there is a snapshot', async () => {
    append(20);
    await save();
    chain.beginSegment('size');
    append(5);
    rmSync(paths[0] ?? '');
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(warnings()).to.deep.equal([]);
  });

  it('warns of a damaged snapshot, names its file, and counts the whole chain', async () => {
    append(20);
    await save();
    writeFileSync(snapshotPath(auditFile()), '{"version":1,"seq":21,');
    expect((await restore()).state()).to.deep.equal(countAll(chain.lines).state());
    expect(warnings()).to.deep.equal([
      {
        level: 'warn',
        message: 'The snapshot of the usage counters is damaged: they are counted anew from the audit records.',
        facts: { file: `${auditFile()}.usage` },
      },
    ]);
  });

  it('says with which record the counters begin where earlier files are gone and there is no snapshot', async () => {
    append(20);
    chain.beginSegment('size');
    append(5);
    rmSync(paths[0] ?? '');
    expect((await restore()).state()).to.deep.equal(countAll(chain.files[1] ?? []).state());
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]?.level).to.equal('warn');
    expect(warnings()[0]?.message).to.match(/^Usage counters begin with record 22: .* no snapshot/);
  });

  it('says which records are missing between the snapshot and the files', async () => {
    append(5);
    await save();
    append(5);
    chain.beginSegment('size');
    append(5);
    rmSync(paths[0] ?? '');
    const counted = [...chain.lines.slice(0, 6), ...(chain.files[1] ?? [])];
    expect((await restore()).state()).to.deep.equal(countAll(counted).state());
    expect(warnings().map(({ message }) => message)).to.have.length(1);
    expect(warnings()[0]?.message).to.match(/^Usage counters lack records 7 to 11,/);
  });

  it('refuses a chain that ends before the snapshot', async () => {
    append(5);
    await writeSnapshot(auditFile(), sampleSnapshot(3, 1000));
    const error: unknown = await restore().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AuditUnavailableError);
    expect(String(error)).to.include(`${auditFile()}.usage knows of record 1000`);
  });
});
