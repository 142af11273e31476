import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mock } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/driven/audit-sink/file-operations.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import { createGate, type Gate, until, useSinkBench } from './sink-bench.ts';
import { systemError } from './system-error.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const TIMEOUT_MS = 200;
/** The sink looks at what waits eight times in its timeout; the ninth look refuses a record. */
const CHECK_MS = TIMEOUT_MS / 8;

describe('DurableFileTransport', () => {
  const bench = useSinkBench(useTemporaryFolder());

  /**
   * Holds a call until the gate is opened. @returns the gate, and a promise of the first call that
   * waits there
   */
  function hold(call: 'fdatasync' | 'write' | 'stat'): Gate & { readonly reached: Promise<void> } {
    const [gate, arrival] = [createGate(), createGate()];
    const original = nodeFileOperations[call] as (...args: readonly unknown[]) => Promise<unknown>;
    Object.assign(bench().calls, {
      [call]: async (...args: readonly unknown[]) => {
        arrival.open();
        await gate.passed;
        return original(...args);
      },
    });
    return { ...gate, reached: arrival.passed };
  }

  /** Lets everything that needs no timer and no answer of the disk go on. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  }

  function block(milliseconds: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }

  describe('group commit', () => {
    it('acknowledges no record before a sync that began after its write has ended', async () => {
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

    it('acknowledges no record before the file was seen in its place', async () => {
      await bench().open();
      await bench().append();
      const gate = hold('stat');
      let isOrdered = false;
      const appended = bench()
        .append()
        .then(() => {
          isOrdered = true;
        });
      await gate.reached;
      await settle();
      expect(isOrdered).to.equal(false);
      gate.open();
      await appended;
      expect(isOrdered).to.equal(true);
    });

    it('syncs everything queued during one sync by the next', async () => {
      const groups: number[] = [];
      let rest: Promise<unknown> = Promise.resolve();
      await bench().open();
      bench().calls.write = (fd, bytes, offset) => {
        groups.push(Buffer.from(bytes).toString().split('\n').length - 1);
        return nodeFileOperations.write(fd, bytes, offset);
      };
      bench().calls.fdatasync = async (fd) => {
        if (groups.length === 1) rest = bench().append(200);
        await nodeFileOperations.fdatasync(fd);
      };
      await bench().append();
      await rest;
      expect(groups).to.deep.equal([1, 200]);
      bench().verifyExactly();
    });

    it('needs fewer syncs than records when many append at once, and one each when they come one by one', async () => {
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

    it('writes the rest when the system takes only a part', async () => {
      await bench().open();
      bench().calls.write = (fd, bytes, offset) => nodeFileOperations.write(fd, bytes.subarray(0, offset + 97), offset);
      expect(await bench().append(20)).to.deep.equal([]);
      bench().verifyExactly();
    });
  });

  it('writes nothing but the record, whatever names its data has', async () => {
    await bench().open();
    const data = { message: 'm', level: 'error', timestamp: 't', stack: 's', splat: ['%s'], nested: { message: 'n' } };
    const strange = { data, principal: '%s %d', message: 'other', level: 'silly', [Symbol.for('message')]: 'other' };
    await bench().append(1, strange);
    const record = bench().verifyExactly().records[1];
    expect(record?.data).to.deep.equal(data);
    expect(record).to.include({ principal: '%s %d' }).and.not.have.any.keys('message', 'level');
  });

  describe('the bound of the queue', () => {
    it('refuses at once one record more than it holds, and takes records again when there is room', async () => {
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

    it('also bounds the length of the lines that wait', async () => {
      await bench().open({ maxQueuedLength: 3000 });
      const gate = hold('fdatasync');
      const held = bench().append(3, { data: { text: 'x'.repeat(200) } });
      expect(await bench().append(1, { data: { text: 'x'.repeat(2000) } })).to.have.length(1);
      gate.open();
      expect(await held).to.deep.equal([]);
      expect(await bench().append(3, { data: { text: 'x'.repeat(200) } })).to.deep.equal([]);
      bench().verifyExactly();
    });

    it('holds a hundred batches of a thousand unless told otherwise', async () => {
      await bench().open({ timeoutMs: 60_000 });
      const gate = hold('fdatasync');
      const all = bench().append(100_001);
      gate.open();
      expect(await all).to.have.length(1);
      expect(readFileSync(bench().file, 'utf8').split('\n')).to.have.length(1 + 100_000 + 1);
    }).timeout(300_000);
  });

  describe('a disk that is stuck', () => {
    for (const call of ['fdatasync', 'write'] as const) {
      it(`in ${call} fails what waits, and what comes later at once; when it answers, the record is there`, async () => {
        await bench().open({ timeoutMs: TIMEOUT_MS });
        await bench().append(2);
        const gate = hold(call);
        const [reason] = await bench().append();
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
        expect(bench().log.events.at(-1)?.message).to.include('answers again');
      });
    }

    it('in a look at the path refuses what waits, and does not write it later', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      await sleep(30);
      const gate = hold('stat');
      expect(await bench().append(2)).to.have.length(2);
      expect(bench().sink.available).to.equal(false);
      gate.open();
      await bench().available();
      await bench().append(2);
      bench().verifyExactly();
      expect(bench().usage.counted).to.have.length(4);
    });

    it('fails each record when its own time is over', async () => {
      mock.timers.enable({ apis: ['setInterval'] });
      try {
        await bench().open({ timeoutMs: TIMEOUT_MS });
        const gate = hold('fdatasync');
        const refusals: number[] = [];
        const check = async () => {
          mock.timers.tick(CHECK_MS);
          await settle();
        };
        const appended = [];
        for (const id of [0, 1, 2]) {
          const record = bench().append();
          void record.then((reasons) => reasons.length === 1 && refusals.push(id));
          appended.push(record);
          if (id === 0) await gate.reached;
          await settle();
          for (let count = 0; count < 2; count += 1) await check();
        }
        // Six checks have passed for the first record, four for the second, two for the third.
        for (const expected of [[], [], [0], [0], [0, 1], [0, 1], [0, 1, 2]]) {
          await check();
          expect(refusals).to.deep.equal(expected);
        }
        await Promise.all(appended);
        gate.open();
      } finally {
        mock.timers.reset();
      }
    });

    it('that fails in the end leaves nothing of what was refused, and the sink goes on', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append(2);
      const gate = createGate();
      bench().calls.fdatasync = async () => {
        await gate.passed;
        bench().calls.fdatasync = nodeFileOperations.fdatasync;
        throw systemError('EIO', 'i/o error, write');
      };
      expect(await bench().append(2)).to.have.length(2);
      gate.open();
      await until(() => bench().names().length === 2, 'a new file was begun');
      await bench().available();
      await bench().append(2);
      bench().verifyExactly();
      expect(bench().usage.counted).to.have.length(4);
    });

    it('does not hold up closing, and what was acknowledged is there', async () => {
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

    it('delays records when it is only slow, and none is refused', async () => {
      mock.timers.enable({ apis: ['setInterval'] });
      try {
        await bench().open({ timeoutMs: TIMEOUT_MS });
        let gate = hold('fdatasync');
        let burst = bench().append(5);
        for (let count = 0; count < 6; count += 1) {
          await gate.reached;
          // Waits four checks behind the burst before it, and four for its own sync: as long as it
          // may.
          const next = bench().append(5);
          for (let checks = 0; checks < 4; checks += 1) mock.timers.tick(CHECK_MS);
          await settle();
          const slow = gate;
          gate = hold('fdatasync');
          slow.open();
          expect(await burst).to.deep.equal([]);
          burst = next;
        }
        gate.open();
        expect(await burst).to.deep.equal([]);
        expect(bench().sink.available).to.equal(true);
      } finally {
        mock.timers.reset();
      }
      bench().verifyExactly();
    });

    it('is not what a process sees that itself stood still', async () => {
      await bench().open({ timeoutMs: TIMEOUT_MS });
      await bench().append();
      for (const delayMs of [0, 1, 2, 5, 10]) {
        await sleep(30);
        const appended = bench().append(3);
        if (delayMs > 0) await sleep(delayMs);
        block(3 * TIMEOUT_MS);
        expect(await appended).to.deep.equal([]);
      }
      bench().verifyExactly();
    });
  });

  describe('signatures', () => {
    it('end every group, so that no record is acknowledged that is not signed', async () => {
      await bench().open();
      for (const count of [1, 3, 1]) {
        await bench().append(count);
        expect(bench().verifyExactly().records.at(-1)?.sig).to.be.a('string');
      }
      const { records } = bench().verifyExactly();
      const events = records.map(({ event, sig }) => (sig === undefined ? event : `${event}+sig`));
      expect(events.join(' ')).to.equal('segment+sig sign+sig sign sign sign+sig sign+sig');
    });

    it('stand on one of 500 records at least', async () => {
      await bench().open();
      await bench().append(2500);
      const seqs = bench()
        .verifyExactly()
        .signed.map(({ seq }) => seq);
      for (const [index, seq] of seqs.entries()) expect(seq - (seqs[index - 1] ?? 0)).to.be.at.most(500);
    });

    /** Of the last line of the file. */
    function lastCheckpoint() {
      const { records, files } = bench().verifyExactly();
      const { instanceId, seq, time, sig } = records.at(-1) ?? {};
      const covered = files.at(-1)?.lines.at(-1)?.split(',"sig":')[0] ?? '';
      return { instanceId, seq, time, hash: `sha256:${hash('sha256', covered)}`, sig };
    }

    it('are given with what they cover, once they are durable', async () => {
      const sink = await bench().open();
      expect(sink.checkpoint).to.equal(null);
      await bench().append(2);
      expect(sink.checkpoint).to.deep.equal(lastCheckpoint());
    });

    it('cover everything when the sink is closed, and the last one is in the service log', async () => {
      await bench().open();
      await bench().append(3);
      await bench().append(3);
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
