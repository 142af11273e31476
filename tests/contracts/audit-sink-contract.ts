import { expect } from 'chai';
import { AUDIT_EVENTS, type AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../src/domain/model/errors.ts';
import type { AuditSink } from '../../src/ports/audit-sink.ts';
import type { CountedRecord } from '../../src/ports/usage-ledger.ts';
import type { RecordingUsageLedger } from '../doubles/recording-usage-ledger.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

/** A sink, and an independent view of its durable records. */
export interface AuditSinkHarness {
  readonly sink: AuditSink;
  readonly usage: RecordingUsageLedger;
  durableEntries(): Promise<readonly AuditEntry[]>;
  /** Removes the harness after the sink is closed. */
  dispose(): Promise<void>;
}

/** Contract of every AuditSink that can write. `makeHarness` returns a fresh, empty one. */
export function describeAuditSinkContract(name: string, makeHarness: () => Promise<AuditSinkHarness>): void {
  describe(`AuditSink contract: ${name}`, () => {
    let harness: AuditSinkHarness;
    let sink: AuditSink;

    beforeEach(async () => {
      harness = await makeHarness();
      sink = harness.sink;
    });
    afterEach(async () => {
      await sink.close();
      await harness.dispose();
    });

    it('has made an entry durable, with every field, when append resolves', async () => {
      const released = sampleAuditEntry({ correlationId: 'released', principal: 'desk-7', batchRequestId: 'item-1' });
      const refused = sampleAuditEntry({
        outcome: 'refused',
        errorCode: 'ACCOUNT_NOT_FOUND',
        algorithm: null,
        payloadDigest: null,
        signatureDigest: null,
        data: null,
        durationMs: null,
      });
      await sink.append(released);
      expect(await harness.durableEntries()).to.deep.equal([released]);
      await sink.append(refused);
      expect(await harness.durableEntries()).to.deep.equal([released, refused]);
    });

    it('preserves the order of concurrent appends', async () => {
      const entries = numberedEntries(500);
      await Promise.all(entries.map((entry) => sink.append(entry)));
      expect(await harness.durableEntries()).to.deep.equal(entries);
    });

    it('makes the entries of one append durable together, in order, before later ones', async () => {
      const entries = numberedEntries(40);
      const together = sink.append(...entries.slice(0, 30));
      const later = entries.slice(30).map((entry) => sink.append(entry));
      await together;
      expect((await harness.durableEntries()).slice(0, 30)).to.deep.equal(entries.slice(0, 30));
      expect(countedEntries(harness.usage).slice(0, 30)).to.deep.equal(entries.slice(0, 30).map(countedFields));
      await Promise.all(later);
      expect(await harness.durableEntries()).to.deep.equal(entries);
    });

    it('reports the head of the record, which advances with each durable entry', async () => {
      const { seq } = sink.head;
      await sink.append(sampleAuditEntry());
      expect(sink.head.seq).to.be.above(seq);
      if (sink.head.hash !== null) expect(sink.head.hash).to.match(/^sha256:[0-9a-f]{64}$/);
    });

    it('keeps an entry as appended, even if its data changes later', async () => {
      const data = { symbol: 'BTCUSDT' };
      const appended = sink.append(sampleAuditEntry({ data }));
      data.symbol = 'changed later';
      await appended;
      expect((await harness.durableEntries())[0]?.data).to.deep.equal({ symbol: 'BTCUSDT' });
    });

    it('passes each durable entry to the UsageLedger once, in order, before append resolves', async () => {
      const entries = [
        sampleAuditEntry({ event: 'start', platformId: null, accountId: null, algorithm: null }),
        sampleAuditEntry({ time: '2026-11-20T08:49:01.000Z', accountId: 'first', algorithm: 'eip191' }),
        sampleAuditEntry({ outcome: 'refused', errorCode: 'ACCOUNT_NOT_FOUND', accountId: 'nobody', algorithm: null }),
        ...Array.from({ length: 200 }, (_, index) => sampleAuditEntry({ accountId: `account-${index}` })),
      ];
      const countedBy = entries.map(async (entry) => {
        await sink.append(entry);
        return countedEntries(harness.usage).some(({ accountId }) => accountId === entry.accountId);
      });
      expect(await Promise.all(countedBy)).to.not.include(false);
      expect(countedEntries(harness.usage)).to.deep.equal(entries.map(countedFields));
    });

    it('loses, repeats and reorders no entry when reopened during appends', async () => {
      const entries = numberedEntries(100);
      const appended = entries.map((entry, index) => {
        const append = sink.append(entry);
        return index % 25 === 0 ? Promise.all([append, sink.reopen()]) : append;
      });
      await Promise.all(appended);
      expect(sink.available).to.equal(true);
      expect(await harness.durableEntries()).to.deep.equal(entries);
      expect(countedEntries(harness.usage)).to.have.length(entries.length);
    });

    it('stays closed when reopened after close', async () => {
      await sink.close();
      await sink.reopen();
      expect(sink.available).to.equal(false);
      expect(await rejection(sink.append(sampleAuditEntry()))).to.be.instanceOf(AuditUnavailableError);
    });

    it('reports that it can write, any number of times, without adding an entry', async () => {
      await sink.append(sampleAuditEntry());
      const pending = Array.from({ length: 20 }, () => sink.probe());
      expect(new Set(await Promise.all(pending))).to.deep.equal(new Set([null]));
      expect(await harness.durableEntries()).to.have.length(1);
      expect(countedEntries(harness.usage)).to.have.length(1);
    });

    it('reports why it cannot write once it is closed', async () => {
      expect(await sink.probe()).to.equal(null);
      const closed = sink.close();
      expect(await sink.probe()).to.match(/closed/);
      await closed;
      expect(await sink.probe()).to.match(/closed/);
    });

    it('makes pending entries durable on close, and passes them to the UsageLedger', async () => {
      const entries = numberedEntries(100);
      const appended = Promise.all(entries.map((entry) => sink.append(entry)));
      await sink.close();
      expect(await harness.durableEntries()).to.deep.equal(entries);
      expect(countedEntries(harness.usage)).to.have.length(entries.length);
      await appended;
    });

    it('refuses to append once it is closed, and is available until then', async () => {
      await sink.append(sampleAuditEntry());
      expect(sink.available).to.equal(true);
      const closed = sink.close();
      expect(await rejection(sink.append(sampleAuditEntry()))).to.be.instanceOf(AuditUnavailableError);
      await closed;
      expect(sink.available).to.equal(false);
      expect(await rejection(sink.append(sampleAuditEntry()))).to.be.instanceOf(AuditUnavailableError);
      expect(await harness.durableEntries()).to.have.length(1);
    });

    it('can be closed twice, also while closing', async () => {
      await Promise.all([sink.close(), sink.close()]);
      await sink.close();
    });
  });
}

/**
 * Contract of every AuditSink that cannot write. `makeHarness` returns one without durable records.
 */
export function describeUnavailableAuditSinkContract(name: string, makeHarness: () => Promise<AuditSinkHarness>): void {
  describe(`AuditSink contract, unable to write: ${name}`, () => {
    let harness: AuditSinkHarness;
    let sink: AuditSink;

    beforeEach(async () => {
      harness = await makeHarness();
      sink = harness.sink;
    });
    afterEach(async () => {
      await sink.close();
      await harness.dispose();
    });

    it('reports that it is not available', () => {
      expect(sink.available).to.equal(false);
    });

    it('reports why', async () => {
      expect(await sink.probe())
        .to.be.a('string')
        .and.match(/\S/);
    });

    it('rejects every append with AuditUnavailableError and stores nothing', async () => {
      for (const entry of numberedEntries(3)) {
        expect(await rejection(sink.append(entry))).to.be.instanceOf(AuditUnavailableError);
      }
      expect(await harness.durableEntries()).to.deep.equal([]);
      expect(countedEntries(harness.usage)).to.deep.equal([]);
      expect(sink.available).to.equal(false);
    });

    it('does not reject when reopened, and reports whether it is available again', async () => {
      await sink.reopen();
      const { available } = sink;
      const appended = await sink.append(sampleAuditEntry()).then(
        () => true,
        () => false,
      );
      expect(appended).to.equal(available);
      expect(countedEntries(harness.usage)).to.have.length(available ? 1 : 0);
    });

    it('can be closed twice, and rejects appends afterwards', async () => {
      await sink.close();
      await sink.close();
      expect(await rejection(sink.append(sampleAuditEntry()))).to.be.instanceOf(AuditUnavailableError);
    });
  });
}

function numberedEntries(count: number): readonly AuditEntry[] {
  return Array.from({ length: count }, (_, index) => sampleAuditEntry({ correlationId: `c-${index}` }));
}

/** Counted records without the sink's own. */
function countedEntries(usage: RecordingUsageLedger): readonly CountedRecord[] {
  const events: readonly string[] = AUDIT_EVENTS;
  return usage.counted.filter(({ event }) => events.includes(event));
}

function countedFields({ time, event, outcome, platformId, accountId, algorithm }: AuditEntry): CountedRecord {
  return { time, event, outcome, platformId, accountId, algorithm };
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('should have rejected'),
    (error: unknown) => error,
  );
}
