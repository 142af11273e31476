import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { AuditDiskWatch, FreeSpace } from '../../../../src/app/background/audit-disk-watch.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const MIB = 1024 ** 2;
const GIB = 1024 * MIB;

describe('AuditDiskWatch', () => {
  function setUp() {
    const disk: { free: number | null } = { free: 50 * GIB };
    const log = new RecordingServiceLog();
    const watch = new AuditDiskWatch({ file: '/a/audit.jsonl', space: { bytes: async () => disk.free }, log });
    const check = async (free: number | null) => {
      disk.free = free;
      await watch.check();
      return log.events.map(({ level, message }) => `${level}: ${message.slice(0, 44)}`);
    };
    return { watch, log, check };
  }

  const LOW = 'warn: The audit disk is filling up. Free some spac';
  const CRITICAL = 'error: The audit disk is almost full. Free some spa';
  const OK = 'info: The audit disk has free space again.';

  it('warns when disk space is low and again when it is critical, and reports recovery', async () => {
    const { check, log } = setUp();
    expect(await check(GIB)).to.deep.equal([]);
    expect(await check(GIB - 1)).to.deep.equal([LOW]);
    expect(await check(16 * MIB)).to.deep.equal([LOW]);
    expect(await check(16 * MIB - 1)).to.deep.equal([LOW, CRITICAL]);
    expect(await check(20 * GIB)).to.deep.equal([LOW, CRITICAL, OK]);
    expect(log.events[0]?.facts).to.deep.equal({ count: 1, file: '/a/audit.jsonl', freeBytes: GIB - 1, lowBytes: GIB });
  });

  it('logs one warning while the free space goes back and forth around a level', async () => {
    const { check } = setUp();
    for (let round = 0; round < 100; round += 1) {
      await check(GIB - MIB);
      await check(GIB + MIB);
    }
    expect(await check(GIB + MIB)).to.deep.equal([LOW]);
    for (let round = 0; round < 100; round += 1) {
      await check(16 * MIB - 1);
      await check(16 * MIB + 1);
    }
    expect(await check(2 * GIB)).to.deep.equal([LOW, CRITICAL, OK]);
  });

  it('reports nothing while disk space is unknown, and repeats nothing after it', async () => {
    const { check, watch } = setUp();
    expect(await check(null)).to.deep.equal([]);
    expect(watch.state).to.deep.equal({ freeBytes: null, state: 'unknown', lowBytes: GIB, criticalBytes: 16 * MIB });
    await check(GIB / 2);
    await check(null);
    expect(await check(GIB / 2)).to.deep.equal([LOW]);
    expect(watch.state).to.include({ freeBytes: GIB / 2, state: 'low' });
  });
});

describe('FreeSpace', () => {
  it('reports the number of bytes available in a folder', async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    expect(await new FreeSpace(tmpdir()).bytes()).to.be.within((bavail * bsize) / 2, bavail * bsize * 2);
  });

  it('is null while a disk hangs, with one query in flight', async () => {
    let queries = 0;
    let response: (bytes: number) => void = () => undefined;
    const space = new FreeSpace('/hanging', () => {
      queries += 1;
      return new Promise((resolve) => {
        response = resolve;
      });
    });
    expect(await Promise.all([space.bytes(), space.bytes()])).to.deep.equal([null, null]);
    const late = space.bytes();
    expect(queries).to.equal(1);
    response(42);
    expect(await late).to.equal(42);
    void space.bytes();
    expect(queries).to.equal(2);
    response(43);
  });
});
