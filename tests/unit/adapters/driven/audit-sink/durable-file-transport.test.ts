import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { auditRecord } from '../../../../../src/adapters/driven/audit-sink/audit-record.ts';
import type { DurableFileOptions } from '../../../../../src/adapters/driven/audit-sink/durable-file-transport.ts';
import {
  type FileOperations,
  nodeFileOperations,
} from '../../../../../src/adapters/driven/audit-sink/file-operations.ts';
import { WinstonAuditSink } from '../../../../../src/adapters/driven/audit-sink/winston-audit-sink.ts';
import type { AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { systemError } from './system-error.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
const DISK_BROKEN = systemError('EIO', 'i/o error, fdatasync');

function entries(count: number): readonly AuditEntry[] {
  return Array.from({ length: count }, (_, index) => sampleAuditEntry({ correlationId: `c-${index}` }));
}

function linesOf(acknowledged: readonly AuditEntry[]): string {
  return acknowledged.map((entry) => `${auditRecord(entry)}\n`).join('');
}

/** Appends all at once; returns those that were acknowledged. */
async function appendAll(sink: WinstonAuditSink, all: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
  const settled = await Promise.allSettled(all.map((entry) => sink.append(entry)));
  return all.filter((_, index) => settled[index]?.status === 'fulfilled');
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('should have rejected'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(AuditUnavailableError);
      return error as Error;
    },
  );
}

/** A disk that takes so many bytes and no more: the last write is short, the next fails. */
function diskOf(capacity: number): FileOperations['write'] {
  let left = capacity;
  return async (fd, bytes, offset) => {
    if (left === 0) throw DISK_FULL;
    const written = await nodeFileOperations.write(fd, bytes.subarray(0, offset + left), offset);
    left -= written;
    return written;
  };
}

describe('DurableFileTransport', () => {
  const folder = useTemporaryFolder();
  const file = () => join(folder(), 'audit.jsonl');
  const text = () => readFileSync(file(), 'utf8');
  let log: RecordingServiceLog;
  let sink: WinstonAuditSink;

  async function open(operations: Partial<FileOperations> = {}, limits: Partial<DurableFileOptions> = {}) {
    log = new RecordingServiceLog();
    sink = await WinstonAuditSink.open({
      file: file(),
      log,
      operations: { ...nodeFileOperations, ...operations },
      ...limits,
    });
  }

  afterEach(() => sink.close());

  describe('group commit', () => {
    it('acknowledges no record before a sync that began after its write has ended', async () => {
      const steps: string[] = [];
      let letSync = () => {};
      const held = new Promise<void>((resolve) => {
        letSync = resolve;
      });
      await open({
        write: async (fd, bytes, offset) => {
          const written = await nodeFileOperations.write(fd, bytes, offset);
          steps.push('written');
          return written;
        },
        fdatasync: async (fd) => {
          steps.push('sync begun');
          await held;
          await nodeFileOperations.fdatasync(fd);
          steps.push('sync ended');
        },
      });
      const appended = sink.append(sampleAuditEntry()).then(() => steps.push('acknowledged'));
      await sleep(50);
      expect(steps).to.deep.equal(['written', 'sync begun']);
      letSync();
      await appended;
      expect(steps).to.deep.equal(['written', 'sync begun', 'sync ended', 'acknowledged']);
    });

    it('syncs everything queued during one sync by the next', async () => {
      const groups: number[] = [];
      await open({
        write: (fd, bytes, offset) => {
          groups.push(Buffer.from(bytes).toString().split('\n').length - 1);
          return nodeFileOperations.write(fd, bytes, offset);
        },
        fdatasync: async (fd) => {
          if (groups.length === 1) rest = appendAll(sink, entries(200));
          await nodeFileOperations.fdatasync(fd);
        },
      });
      let rest: Promise<unknown> = Promise.resolve();
      await sink.append(sampleAuditEntry());
      await rest;
      expect(groups).to.deep.equal([1, 200]);
    });

    it('needs fewer syncs than records when many append at once, and one each when they come one by one', async () => {
      let syncs = 0;
      await open({
        fdatasync: (fd) => {
          syncs += 1;
          return nodeFileOperations.fdatasync(fd);
        },
      });
      for (const entry of entries(3)) await sink.append(entry);
      expect(syncs).to.equal(3);
      await appendAll(sink, entries(500));
      expect(syncs).to.be.within(4, 10);
      expect(text().split('\n')).to.have.length(504);
    });
  });

  it('writes the rest when the system takes only a part', async () => {
    await open({ write: (fd, bytes, offset) => nodeFileOperations.write(fd, bytes.subarray(0, offset + 7), offset) });
    const all = entries(20);
    expect(await appendAll(sink, all)).to.have.length(20);
    expect(text()).to.equal(linesOf(all));
  });

  it('writes nothing but the record, whatever names its data has', async () => {
    await open();
    const data = {
      message: 'm',
      level: 'error',
      timestamp: 't',
      stack: 's',
      cause: 'c',
      splat: ['%s'],
      nested: { message: 'n' },
    };
    const entry = sampleAuditEntry({ data, principal: '%s %d %j' });
    const strange = {
      ...entry,
      message: 'other',
      level: 'silly',
      timestamp: 'never',
      [Symbol.for('message')]: 'other',
    };
    await sink.append(strange);
    expect(text()).to.equal(linesOf([entry]));
  });

  describe('a failure', () => {
    it('of a full disk leaves exactly the acknowledged records, whole', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 12_000 }),
          fc.integer({ min: 1, max: 9 }),
          async (capacity, burst) => {
            rmSync(file(), { force: true });
            await open({ write: diskOf(capacity) });
            const acknowledged: AuditEntry[] = [];
            for (let round = 0; round < 4; round += 1) acknowledged.push(...(await appendAll(sink, entries(burst))));
            expect(text()).to.equal(linesOf(acknowledged));
            await sink.close();
          },
        ),
        { numRuns: 50 },
      );
    });

    it('of a sync leaves exactly the acknowledged records and is not tried again', async () => {
      let syncs = 0;
      await open({
        fdatasync: async (fd) => {
          syncs += 1;
          if (syncs === 3) throw DISK_BROKEN;
          await nodeFileOperations.fdatasync(fd);
        },
      });
      const acknowledged = [];
      for (let round = 0; round < 10; round += 1) acknowledged.push(...(await appendAll(sink, entries(5))));
      expect(acknowledged).to.have.length(10);
      expect(text()).to.equal(linesOf(acknowledged));
      expect(syncs).to.equal(3);
      expect(sink.available).to.equal(false);
    });

    it('refuses what is waiting and what comes later, saying what happened and what to do', async () => {
      await open({ write: diskOf(100) });
      const first = sink.append(sampleAuditEntry());
      const message =
        `The audit file ${file()} (SIGNING_AUDIT_FILE) can not be written (ENOSPC: no space left on device, write), ` +
        'so no signature is released. Make room on its disk, then restart the service.';
      expect((await rejection(first)).message).to.equal(message);
      expect((await rejection(sink.append(sampleAuditEntry()))).message).to.equal(message);
      expect(log.events).to.deep.equal([{ level: 'error', message, facts: { file: file(), cause: DISK_FULL } }]);
    });

    it('refuses the records that arrived while it happened without writing them, even if the disk works again', async () => {
      const waiting: Promise<Error>[] = [];
      let syncs = 0;
      await open({
        fdatasync: async (fd) => {
          syncs += 1;
          if (syncs > 1) return nodeFileOperations.fdatasync(fd);
          waiting.push(rejection(sink.append(sampleAuditEntry())), rejection(sink.append(sampleAuditEntry())));
          throw DISK_BROKEN;
        },
      });
      await rejection(sink.append(sampleAuditEntry()));
      for (const error of await Promise.all(waiting)) expect(error.message).to.include('EIO');
      expect(waiting).to.have.length(2);
      expect(text()).to.equal('');
      expect(syncs).to.equal(1);
    });

    it('leaves what the file held before the service started', async () => {
      await open();
      await appendAll(sink, entries(2));
      await sink.close();
      await open({ fdatasync: () => Promise.reject(DISK_BROKEN) });
      expect(await appendAll(sink, entries(5))).to.deep.equal([]);
      expect(text()).to.equal(linesOf(entries(2)));
    });

    it('is also a write of which the system takes nothing', async () => {
      await open({ write: async () => 0 });
      expect((await rejection(sink.append(sampleAuditEntry()))).message).to.include('took none of the bytes');
    });

    it('never cuts off what another process wrote', async () => {
      const foreign = `${'x'.repeat(5000)}\n`;
      await open({
        fdatasync: async () => {
          appendFileSync(file(), foreign);
          throw DISK_BROKEN;
        },
      });
      await rejection(sink.append(sampleAuditEntry()));
      expect(text()).to.equal(linesOf([sampleAuditEntry()]) + foreign);
      expect(log.events.at(-1)?.message).to.include('was not cut back');
    });

    it('never lengthens a file that somebody cut', async () => {
      await open();
      await sink.append(sampleAuditEntry());
      await sink.close();
      await open({
        fdatasync: async () => {
          truncateSync(file(), 0);
          throw DISK_BROKEN;
        },
      });
      await rejection(sink.append(sampleAuditEntry()));
      expect(text()).to.equal('');
    });

    it('is reported, and nothing hangs, when the file can not be cut back either', async () => {
      await open({ fdatasync: () => Promise.reject(DISK_BROKEN), ftruncate: () => Promise.reject(DISK_BROKEN) });
      await rejection(sink.append(sampleAuditEntry()));
      expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'error']);
      expect(sink.available).to.equal(false);
    });

    it('to close is reported and does not reject: the records are durable', async () => {
      let broken = false;
      await open({
        close: async (fd) => {
          await nodeFileOperations.close(fd);
          if (broken) throw DISK_BROKEN;
        },
      });
      broken = true;
      await sink.append(sampleAuditEntry());
      await sink.close();
      expect(text()).to.equal(linesOf([sampleAuditEntry()]));
      expect(log.events.map(({ level }) => level)).to.deep.equal(['warn']);
    });
  });

  describe('the bound of the queue', () => {
    async function openBehindASlowDisk(limits: Partial<DurableFileOptions>): Promise<() => void> {
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await open({ fdatasync: (fd) => held.then(() => nodeFileOperations.fdatasync(fd)) }, limits);
      return letGo;
    }

    it('refuses at once one record more than it holds, and takes records again when there is room', async () => {
      const letGo = await openBehindASlowDisk({ maxQueuedRecords: 10 });
      const held = appendAll(sink, entries(10));
      const error = await rejection(sink.append(sampleAuditEntry({ correlationId: 'refused' })));
      expect(error.message).to.include(file()).and.to.include('10 are waiting').and.to.include('SIGNING_AUDIT_FILE');
      expect(sink.available).to.equal(true);
      letGo();
      expect(await held).to.have.length(10);
      await sink.append(sampleAuditEntry({ correlationId: 'later' }));
      expect(text()).to.equal(linesOf([...entries(10), sampleAuditEntry({ correlationId: 'later' })]));
    });

    it('also bounds the length of the lines that wait', async () => {
      const length = auditRecord(entries(1)[0] as AuditEntry).length;
      const letGo = await openBehindASlowDisk({ maxQueuedLength: 3 * length });
      const held = appendAll(sink, entries(3));
      await rejection(sink.append(entries(1)[0] as AuditEntry));
      letGo();
      expect(await held).to.have.length(3);
      expect(await appendAll(sink, entries(3))).to.have.length(3);
    });

    it('holds a hundred batches of a thousand unless told otherwise', async () => {
      const letGo = await openBehindASlowDisk({});
      const all = appendAll(sink, entries(100_001));
      letGo();
      expect(await all).to.have.length(100_000);
    });
  });

  describe('refuses every record from then on, saying so, when the file', () => {
    const interferences: { readonly [what: string]: () => void } = {
      'was removed': () => rmSync(file()),
      'was moved': () => renameSync(file(), `${file()}.1`),
      'was replaced': () => {
        renameSync(file(), `${file()}.1`);
        writeFileSync(file(), '');
      },
      'was emptied': () => truncateSync(file(), 0),
      'was added to': () => appendFileSync(file(), 'not a record\n'),
    };
    for (const [what, interfere] of Object.entries(interferences)) {
      it(what, async () => {
        await open();
        await sink.append(sampleAuditEntry());
        interfere();
        const error = await rejection(sink.append(sampleAuditEntry()));
        expect(error.message).to.include(file()).and.include('SIGNING_AUDIT_FILE').and.include('another program');
        expect(sink.available).to.equal(false);
        await rejection(sink.append(sampleAuditEntry()));
        expect(log.events.map(({ level }) => level)).to.include('error');
      });
    }
  });
});
