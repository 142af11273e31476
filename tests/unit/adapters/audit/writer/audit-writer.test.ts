import { hash } from 'node:crypto';
import { mock } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { CHECKS_PER_TIMEOUT } from '../../../../../src/adapters/audit/writer/record-queue.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import {
  createGate,
  type Gate,
  systemError,
  until,
  usePromptRetries,
  useSinkBench,
  useTemporaryFolder,
} from '../sink-bench.ts';

const TIMEOUT_MS = 200;

describe('Group commit', () => {
  const bench = useSinkBench(useTemporaryFolder());
  usePromptRetries();

  /** Blocks a call, which then succeeds or fails. @returns the gate, and a promise of the first call */
  function hold(call: 'fdatasync' | 'write' | 'stat', error?: Error): Gate & { readonly reached: Promise<void> } {
    const [gate, arrival] = [createGate(), createGate()];
    const original = nodeFileOperations[call] as (...args: readonly unknown[]) => Promise<unknown>;
    Object.assign(bench().calls, {
      [call]: async (...args: readonly unknown[]) => {
        arrival.open();
        await gate.passed;
        if (error !== undefined) throw error;
        return original(...args);
      },
    });
    return { ...gate, reached: arrival.passed };
  }

  /** Lets everything run that needs neither timer nor disk. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  }

  function block(milliseconds: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }

  describe('group commit', () => {
    it('acknowledges no record before a sync that began after its write', async () => {
      const steps: string[] = [];
      const gate = createGate();
      await bench().open();
      bench().calls.write = async (fd, bytes, offset) => {
        const written = await nodeFileOperations.write(fd, bytes, offset);
        steps.push('written');
        return written;
      };
      bench().calls.fdatasync = async (fd) => {
        steps.push('sync begun');
        await gate.passed;
        await nodeFileOperations.fdatasync(fd);
        steps.push('sync ended');
      };
      const appended = bench()
        .append()
        .then(() => steps.push('acknowledged'));
      await until(() => steps.includes('sync begun'), 'a sync began');
      await settle();
      expect(steps).to.deep.equal(['written', 'sync begun']);
      gate.open();
      await appended;
      expect(steps).to.deep.equal(['written', 'sync begun', 'sync ended', 'acknowledged']);
    });

    it('syncs once for many concurrent records, and once each for sequential ones', async () => {
      let syncs = 0;
      await bench().open();
      bench().calls.fdatasync = (fd) => {
        syncs += 1;
        return nodeFileOperations.fdatasync(fd);
      };
      for (let count = 0; count < 3; count += 1) await bench().append();
      expect(syncs).to.equal(3);
      await bench().append(500);
      expect(syncs).to.be.within(4, 10);
      expect(bench().verifyExactly().ids).to.have.length(503);
    });
  });

  describe('the bound of the queue', () => {
    it('rejects a record beyond the limit, and accepts records again later', async () => {
      await bench().open({ maxQueuedRecords: 10 });
      const gate = hold('fdatasync');
      const held = bench().append(10);
      const [reason] = await bench().append();
      expect(reason).to.include(bench().file).and.include('10 are waiting').and.include('SIGNING_AUDIT_FILE');
      expect(bench().sink.available).to.equal(true);
      gate.open();
      expect(await held).to.deep.equal([]);
      expect(await bench().append(10)).to.deep.equal([]);
      bench().verifyExactly();
    });

    it('bounds the length of queued records', async () => {
      await bench().open({ maxQueuedLength: 3000 });
      const gate = hold('fdatasync');
      const held = bench().append(3, { data: { text: 'x'.repeat(200) } });
      expect(await bench().append(1, { data: { text: 'x'.repeat(2000) } })).to.have.length(1);
      gate.open();
      expect(await held).to.deep.equal([]);
      expect(await bench().append(3, { data: { text: 'x'.repeat(200) } })).to.deep.equal([]);
      bench().verifyExactly();
    });
  });

  describe('a hanging disk', () => {
    let countTime: () => void;
    beforeEach(() => {
      const setInterval = (work: () => void, milliseconds: number) => {
        expect(milliseconds).to.equal(TIMEOUT_MS / CHECKS_PER_TIMEOUT);
        countTime = work;
        return { unref: () => null };
      };
      mock.method(globalThis, 'setInterval', setInterval);
    });
    afterEach(() => mock.restoreAll());

    /** Lets the timeout of waiting records pass. */
    function passTimeout(): void {
      for (let count = 0; count <= CHECKS_PER_TIMEOUT; count += 1) countTime();
    }

    /** Appends records that time out in a held call. */
    async function appendHeld(count: number, { reached }: { readonly reached: Promise<void> }) {
      const appended = bench().append(count);
      await reached;
      passTimeout();
      return appended;
    }

    it('fails queued and later records while a write hangs; the record exists afterwards', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      const gate = hold('fdatasync');
      const [reason] = await appendHeld(1, gate);
      expect(reason).to.include(bench().file).and.include(`${TIMEOUT_MS} ms (SIGNING_AUDIT_TIMEOUT_MS)`);
      expect(bench().sink.available).to.equal(false);
      const later = bench().append(3);
      expect(await isSettled(later)).to.equal(true);
      expect(await later).to.have.length(3);
      expect(bench().log.events.filter(({ level }) => level === 'error')).to.have.length(1);

      gate.open();
      await bench().available();
      expect(await bench().append(2)).to.deep.equal([]);
      const { ids, files } = bench().verify();
      expect(ids).to.deep.equal(['c-0', 'c-1', 'c-2', 'c-6', 'c-7']);
      expect(files).to.have.length(1);
      expect(bench().usage.counted).to.have.length(5);
      expect(bench().log.events.at(-1)?.message).to.include('responds again');
    });

    it('refuses queued records when the path check hangs, and does not write them later', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      await sleep(30);
      const gate = hold('stat');
      expect(await appendHeld(2, gate)).to.have.length(2);
      expect(bench().sink.available).to.equal(false);
      gate.open();
      await bench().available();
      await bench().append(2);
      bench().verifyExactly();
      expect(bench().usage.counted).to.have.length(4);
    });

    it('leaves no trace of refused records when the call finally fails, and resumes', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      const gate = hold('fdatasync', systemError('EIO', 'i/o error, write'));
      expect(await appendHeld(2, gate)).to.have.length(2);
      bench().calls.fdatasync = nodeFileOperations.fdatasync;
      gate.open();
      await until(() => bench().names().length === 2, 'a new file was begun');
      await bench().available();
      await bench().append(2);
      bench().verifyExactly();
      expect(bench().usage.counted).to.have.length(4);
    });

    it('does not delay closing, and keeps what was acknowledged', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      const gate = hold('fdatasync');
      const appended = bench().append(2);
      await gate.reached;
      await bench().close();
      expect(await appended).to.have.length(2);
      expect(bench().log.events.at(-1)?.message).to.not.equal('Audit checkpoint.');
      bench().verify();
      gate.open();
      await sleep(50);
    });
  });

  describe('a suspended process', () => {
    it('is not taken for a hanging disk', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append();
      for (const delayMs of [0, 2]) {
        await sleep(30);
        const appended = bench().append(3);
        await sleep(delayMs);
        block(1.25 * TIMEOUT_MS);
        expect(await appended).to.deep.equal([]);
      }
      bench().verifyExactly();
    });
  });

  describe('signatures', () => {
    it('end every group, of at most 500 records', async () => {
      await bench().open();
      for (const count of [1, 3]) await bench().append(count);
      const { records } = bench().verifyExactly();
      const events = records.map(({ event, sig }) => (sig === undefined ? event : `${event}+sig`));
      expect(events.join(' ')).to.equal('segment+sig sign+sig sign sign sign+sig');
      await bench().append(1001);
      const { signed } = bench().verifyExactly();
      expect(signed.map(({ seq }) => seq)).to.deep.equal([1, 2, 5, 505, 1005, 1006]);
    });

    function lastCheckpoint() {
      const { records, files } = bench().verifyExactly();
      const { instanceId, seq, time, sig } = records.at(-1) ?? {};
      const covered = files.at(-1)?.lines.at(-1)?.split(',"sig":')[0] ?? '';
      return { instanceId, seq, time, hash: `sha256:${hash('sha256', covered)}`, sig };
    }

    it('are reported once durable, cover everything on close, and the last one is logged', async () => {
      const sink = await bench().open();
      expect(sink.checkpoint).to.equal(null);
      await bench().append(3);
      await bench().append(3);
      expect(sink.checkpoint).to.deep.equal(lastCheckpoint());
      await bench().close();
      const { records } = bench().verifyExactly();
      expect(bench().log.events.at(-1)).to.deep.equal({
        level: 'info',
        message: 'Audit checkpoint.',
        facts: lastCheckpoint(),
      });
      await bench().open();
      await bench().close();
      expect(bench().verifyExactly().records).to.have.length(records.length);
    });
  });
});
