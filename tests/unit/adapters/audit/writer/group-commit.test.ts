import { hash, pbkdf2 } from 'node:crypto';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CHECKS_PER_TIMEOUT } from '../../../../../src/adapters/audit/writer/record-queue.ts';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import { createGate, DISK_BROKEN, until, usePromptRetries, useSinkBench } from '../sink-bench.ts';

const TIMEOUT_MS = 200;

describe('Group commit', () => {
  const bench = useSinkBench();
  usePromptRetries();

  /** Blocks syncs, which then succeed unless they fail. `reached` resolves at the first one. */
  function holdSync(failure?: Error) {
    const [gate, arrival] = [createGate(), createGate()];
    bench().calls.datasync = async (file) => {
      arrival.open();
      await gate.passed;
      if (failure !== undefined) throw failure;
      return nodeCalls.datasync(file);
    };
    return { ...gate, reached: arrival.passed };
  }

  it('acknowledges no record before the sync of its write has ended', async () => {
    await bench().open();
    const gate = holdSync();
    const appended = bench().append();
    await gate.reached;
    expect(await isSettled(appended)).to.equal(false);
    gate.open();
    expect(await appended).to.deep.equal([]);
  });

  it('syncs once for many concurrent records, and once each for sequential ones', async () => {
    let syncs = 0;
    await bench().open();
    bench().calls.datasync = (file) => {
      syncs += 1;
      return nodeCalls.datasync(file);
    };
    for (let count = 0; count < 3; count += 1) await bench().append();
    expect(syncs).to.equal(3);
    await bench().append(500);
    expect(syncs).to.be.within(4, 10);
  });

  it('signs the last record of every group: at most 500 records, none of an append split from the others', async () => {
    await bench().open();
    const signed = () => Array.from(bench().verify().signed, ({ seq }) => seq);
    for (const count of [1, 3]) await bench().append(count);
    expect(signed()).to.deep.equal([1, 2, 5]);
    await bench().append(1001);
    expect(signed()).to.deep.equal([1, 2, 5, 505, 1005, 1006]);
    const entries = Array.from({ length: 600 }, (_, index) => sampleAuditEntry({ correlationId: `in-batch-${index}` }));
    const { sink } = bench();
    await Promise.all([sink.append(...entries.slice(0, 300)), sink.append(...entries.slice(300))]);
    expect(signed().slice(6)).to.deep.equal([1306, 1606]);
  });

  it('refuses only the group that cannot be signed', async () => {
    const { key, clock } = bench();
    let failures = 0;
    const sign = (message: Uint8Array) => {
      if (failures-- > 0) throw new Error('memory cannot be locked');
      return key.sign(message);
    };
    await bench().open({ writer: { key: { publicKey: key.publicKey, sign }, instanceId: 'instance-1', clock } });
    failures = 1;
    const refused = await bench().sink.append(sampleAuditEntry()).catch(String);
    expect(refused).to.include('memory cannot be locked');
    expect(await bench().append(2)).to.deep.equal([]);
    expect(bench().reasons()).to.deep.equal(['first']);
    failures = 1;
    await bench().sink.reopen();
    await bench().resume();
  });

  for (const [what, limits, text] of [
    ['number', { maxQueuedRecords: 10 }, ''],
    ['length', { maxQueuedLength: 12_400 }, 'x'.repeat(600)],
  ] as const) {
    it(`bounds the ${what} of queued records: rejects all of an append beyond it, and accepts records again later`, async () => {
      const data = { text };
      const entry = sampleAuditEntry({ data });
      await bench().open(limits);
      const gate = holdSync();
      const held = bench().append(9, { data });
      const refused = await bench().sink.append(entry, entry).catch(String);
      expect(refused).to.include(bench().file).and.include('9 are waiting').and.include('SIGNING_AUDIT_FILE');
      expect(bench().sink.available).to.equal(true);
      gate.open();
      expect(await held).to.deep.equal([]);
      expect(bench().sink.queued).to.equal(0);
      expect(await bench().append(10, { data })).to.deep.equal([]);
      bench().verifyExactly();
    });
  }

  describe('a hanging disk', () => {
    let countTime: () => void;
    let closedComplete: boolean | null = null;
    beforeEach(async () => {
      mock.method(globalThis, 'setInterval', (work: () => void, milliseconds: number) => {
        expect(milliseconds).to.equal(TIMEOUT_MS / CHECKS_PER_TIMEOUT);
        countTime = work;
        return { unref: () => null };
      });
      const onClosed = async (isComplete: boolean) => {
        closedComplete = isComplete;
      };
      await bench().open({ timeoutMs: TIMEOUT_MS, onClosed });
      await bench().append(2);
    });
    afterEach(() => mock.restoreAll());

    /** Lets checks for a timeout pass; one more than {@link CHECKS_PER_TIMEOUT} is a timeout. */
    function pass(checks: number): void {
      for (let count = 0; count < checks; count += 1) countTime();
    }

    it('fails what waits and what comes; only what was being written exists afterwards', async () => {
      const gate = holdSync();
      const written = bench().append(1);
      await gate.reached;
      const queued = bench().append(2);
      pass(CHECKS_PER_TIMEOUT + 1);
      const reasons = [...(await written), ...(await queued)];
      expect(reasons).to.have.length(3);
      expect(reasons[0]).to.include(bench().segment(1)).and.include(`${TIMEOUT_MS} ms (SIGNING_AUDIT_TIMEOUT_MS)`);
      expect(bench().sink.available).to.equal(false);
      const later = bench().append(3);
      expect(await isSettled(later)).to.equal(true);
      expect(await later).to.have.length(3);
      expect(bench().log.events.filter(({ level }) => level === 'error')).to.have.length(1);

      gate.open();
      await bench().available();
      expect(await bench().append(2)).to.deep.equal([]);
      const { ids, files } = bench().verify();
      expect(ids).to.deep.equal(['c-0', 'c-1', 'c-2', 'c-8', 'c-9']);
      expect(files).to.have.length(1);
      expect(bench().counted).to.equal(5);
      expect(bench().log.events.at(-1)?.message).to.include('responds again');
    });

    it('leaves no trace of refused records when the call finally fails, and resumes', async () => {
      const gate = holdSync(DISK_BROKEN);
      const appended = bench().append(2);
      await gate.reached;
      pass(CHECKS_PER_TIMEOUT + 1);
      expect(await appended).to.have.length(2);
      bench().mend();
      gate.open();
      await until(() => bench().names().includes('audit.000000000004.jsonl'), 'the next file was begun');
      await bench().resume();
      expect(bench().counted).to.equal(4);
    });

    it('refuses each record at its own timeout', async () => {
      const gate = holdSync();
      const written = bench().append();
      await gate.reached;
      pass(4);
      const queued = bench().append();
      for (const [checks, isWrittenSettled, isQueuedSettled] of [
        [CHECKS_PER_TIMEOUT - 4, false, false],
        [1, true, false],
        [3, true, false],
        [1, true, true],
      ] as const) {
        pass(checks);
        expect(await isSettled(written)).to.equal(isWrittenSettled);
        expect(await isSettled(queued)).to.equal(isQueuedSettled);
      }
      gate.open();
      await bench().available();
    });

    it('is not seen in a write that ended while the process was suspended', async () => {
      const reached = createGate();
      bench().calls.datasync = async () => {
        reached.open();
        await promisify(pbkdf2)('a sync that takes', 'a while in the thread pool', 100_000, 32, 'sha256');
      };
      const appended = bench().append(1);
      await reached.passed;
      pass(CHECKS_PER_TIMEOUT);
      // From a timer, as the check of the last one.
      await sleep(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      pass(1);
      expect(await appended).to.deep.equal([]);
    });

    it('does not delay closing, and keeps what was acknowledged', async () => {
      const gate = holdSync();
      const appended = bench().append(2);
      await gate.reached;
      await bench().close();
      bench().log.flush();
      expect(await appended).to.have.length(2);
      expect(closedComplete).to.equal(false);
      expect(bench().log.events.at(-1))
        .to.deep.include({ message: 'Audit checkpoint.' })
        .and.nested.property('facts.seq', 3);
      bench().verify();
      gate.open();
      await sleep(50);
    });
  });

  describe('checkpoints', () => {
    function lastCheckpoint() {
      const { records, lines } = bench().verifyExactly();
      const { instanceId, seq, time, sig } = records.at(-1) ?? {};
      const covered = lines.at(-1)?.split(',"sig":')[0] ?? '';
      return { instanceId, seq, time, hash: `sha256:${hash('sha256', covered)}`, sig };
    }

    it('are reported once durable, logged together, and cover everything', async () => {
      const reported: unknown[] = [];
      const sink = await bench().open({ onCheckpoint: (checkpoint) => reported.push(checkpoint) });
      const expected = [lastCheckpoint()];
      for (const count of [3, 1, 2, 1]) {
        await bench().append(count);
        expected.push(lastCheckpoint());
        expect(sink.checkpoint).to.deep.equal(expected.at(-1));
      }
      expect(reported).to.deep.equal(expected);
      await bench().close();
      bench().log.flush();
      const logged = bench().log.events.filter(({ message }) => message === 'Audit checkpoint.');
      expect(logged.map(({ facts }) => facts)).to.deep.equal([
        { count: 1, ...expected[0] },
        { count: 4, ...expected[4] },
      ]);
      expect(lastCheckpoint()).to.deep.equal(expected[4]);
    });
  });
});
