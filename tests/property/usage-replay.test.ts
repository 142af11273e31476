import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryUsageLedger, type UsageState } from '../../src/adapters/usage/memory-usage-ledger.ts';
import { restoreUsage } from '../../src/adapters/usage/restore-usage.ts';
import { readSnapshot, SnapshotWriter } from '../../src/adapters/usage/usage-snapshot.ts';
import { AUDIT_EVENTS, type AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { AuditChain } from '../doubles/audit-chain.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

const FIRST_TIME = Date.parse('2026-11-20T08:49:00.000Z');

/** Any record, for few accounts. */
const entries = fc
  .record({
    event: fc.constantFrom(...AUDIT_EVENTS, 'sign', 'sign', 'sign'),
    outcome: fc.constantFrom('success', 'refused', 'failed'),
    platformId: fc.constantFrom('alpha', 'beta', 'a:b', null),
    accountId: fc.constantFrom('main', 'spare', 'constructor', null),
    algorithm: fc.constantFrom('ed25519', 'eip191', null),
    time: fc.nat(200_000).map((ms) => new Date(FIRST_TIME + ms).toISOString()),
  })
  .map((fields) => sampleAuditEntry(fields as Partial<AuditEntry>));

/** History of a chain. */
const histories = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: entries.map((entry) => ({ does: 'append' as const, entry })) },
    { weight: 1, arbitrary: fc.constant({ does: 'rotate' as const }) },
    { weight: 3, arbitrary: entries.map((entry) => ({ does: 'commit' as const, entry })) },
  ),
  { maxLength: 60 },
);

/** Counts independently of the ledgers. */
function recount(lines: readonly string[]) {
  const signs = lines
    .map((line) => JSON.parse(line) as AuditEntry)
    .filter(({ event, platformId, accountId }) => event === 'sign' && platformId !== null && accountId !== null);
  const released = signs.filter(({ outcome }) => outcome === 'success');
  const known = signs.filter(({ outcome, algorithm }) => outcome === 'success' || algorithm !== null);
  const accounts = new Set(known.map(({ platformId, accountId }) => JSON.stringify([platformId, accountId])));
  return {
    totals: { totalSigns: released.length, errorCount: signs.length - released.length },
    accounts: [...accounts].toSorted().map((account) => {
      const own = known.filter(({ platformId, accountId }) => JSON.stringify([platformId, accountId]) === account);
      const ownReleased = own.filter(({ outcome }) => outcome === 'success');
      const lastSignAt =
        ownReleased
          .map(({ time }) => time)
          .sort()
          .at(-1) ?? null;
      return [account, ownReleased.length, lastSignAt, own.length - ownReleased.length];
    }),
  };
}

function flat({ totals, accounts }: UsageState) {
  const rows = accounts.map(([name, { totalSigns, lastSignAt, errorCount }]) => {
    return [JSON.stringify(name.split('/')), totalSigns, lastSignAt, errorCount];
  });
  return { totals, accounts: rows.toSorted(([left = ''], [right = '']) => ((left ?? '') < (right ?? '') ? -1 : 1)) };
}

describe('Usage counters', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'usage-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('of a snapshot and a replay of later records equal those of all records', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(60), fc.boolean(), async (history, savedAfter, hasEarlier) => {
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        const auditFile = join(folder, 'audit.jsonl');
        const chain = new AuditChain();
        const live = new MemoryUsageLedger();
        const log = new RecordingServiceLog();
        const clock = new FixedClock();
        const writer = new SnapshotWriter({ auditFile, ledger: live, head: () => chain.head, clock, log });
        const snapshots: { readonly seq: number; readonly file: number }[] = [];
        for (const [index, step] of history.entries()) {
          if (step.does === 'rotate') chain.beginSegment('size');
          if (step.does === 'append' || step.does === 'commit') {
            chain.append(step.entry);
            live.count(step.entry);
          }
          if (step.does === 'commit') chain.sign();
          if (index !== savedAfter) continue;
          await writer.save();
          snapshots.push({ seq: chain.head.seq, file: chain.files.length - 1 });
        }
        const paths = chain.write(auditFile);
        // Files before the snapshot's are not needed.
        if (!hasEarlier) for (const path of paths.slice(0, snapshots[0]?.file ?? 0)) rmSync(path);

        const ledger = new MemoryUsageLedger();
        const snapshot = await readSnapshot(auditFile, log);
        await restoreUsage({ auditFile, snapshot, head: chain.head, ledger, log });

        expect(snapshot?.head.seq).to.equal(snapshots[0]?.seq);
        expect(flat(ledger.state())).to.deep.equal(recount(chain.lines));
        expect(flat(ledger.state())).to.deep.equal(flat(live.state()));
        expect(log.events.filter(({ level }) => level !== 'info')).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);
});
