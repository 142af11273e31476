import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { DISK_BROKEN, ROTATING, systemError, until, usePromptRetries, useSinkBench } from '../sink-bench.ts';

const HOUR_MS = 3_600_000;

describe('Rotation', () => {
  const bench = useSinkBench();
  usePromptRetries();

  async function appendOneByOne(count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) expect(await bench().append()).to.deep.equal([]);
  }

  describe('by size', () => {
    const rotation = { bytes: 8192, hours: 0, files: 0 };

    it('begins the next file once the size is reached, across restarts', async () => {
      await bench().open({ rotation });
      await appendOneByOne(15);
      await bench().restart({ rotation });
      await appendOneByOne(15);
      const { files } = bench().verifyExactly();
      expect(files.length).to.be.above(2);
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first', ...files.slice(1).map(() => 'size')]);
      for (const { name, records } of files)
        expect(join(bench().folder, name)).to.equal(bench().segment(records[0]?.seq ?? 0));
      for (const { name } of files.slice(0, -1))
        expect(statSync(join(bench().folder, name)).size).to.be.within(8192, 8192 + 2000);
    });

    it('gives the next file the current mode, and owner and group if permitted', async () => {
      const group = 4242;
      const given: (readonly unknown[])[] = [];
      await bench().open({ rotation });
      const { ino, uid } = statSync(bench().file);
      bench().calls.stat = async (file) => {
        const found = await nodeCalls.stat(file);
        return found.ino === ino ? Object.assign(found, { gid: group }) : found;
      };
      bench().calls.chown = async ({ path }, ...owner) => {
        given.push([path, ...owner]);
        throw systemError('EPERM', 'operation not permitted, fchown');
      };
      chmodSync(bench().file, 0o640);
      await appendOneByOne(12);
      const [, next = ''] = bench().names();
      expect(given).to.deep.equal([[join(bench().folder, next), uid, group]]);
      for (const name of bench().names()) expect(statSync(join(bench().folder, name)).mode & 0o777).to.equal(0o640);
    });

    it('is off by default, and never follows a file with only its first record', async () => {
      await bench().open();
      await bench().append(50);
      bench().clock.advance(1000 * HOUR_MS);
      await bench().append();
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
      await bench().sink.reopen();
      await bench().restart(ROTATING);
      await bench().append();
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.000000000053.jsonl', 'audit.jsonl']);
    });
  });

  it('by age begins the next file before the first record after that time, across restarts', async () => {
    const rotation = { bytes: 0, hours: 24, files: 0 };
    await bench().open({ rotation });
    await bench().append(2);
    bench().clock.advance(24 * HOUR_MS - 1);
    await bench().restart({ rotation });
    await bench().append(2);
    expect(bench().verify().files).to.have.length(1);
    bench().clock.advance(1);
    await bench().append(2);
    const { files } = bench().verifyExactly();
    expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'age']);
    expect(files[1]?.records).to.have.length(1 + 2);
    // The clock was wrong when the last file began.
    bench().clock.set(bench().clock.now() - 24 * HOUR_MS);
    await bench().append();
    expect(bench().verifyExactly().files).to.have.length(3);
  });

  describe('keeping files', () => {
    it('deletes the oldest closed files, and nothing else', async () => {
      await bench().open({ rotation: { bytes: 4096, hours: 0, files: 2 } });
      const others = [
        ...['audit.000000000002.jsonl.gz', 'audit.000000000002.jsonl.recovered', 'audit.000000000003.jsonl'],
        ...['audit.jsonl.1', 'audit.jsonl.torn', 'other.000000000001.jsonl'],
        ...['audit.000000001000.jsonl', 'audit.000000002000.jsonl', 'audit.000000003000.jsonl'],
      ];
      for (const name of others) writeFileSync(join(bench().folder, name), 'kept\n');
      await appendOneByOne(25);
      await until(() => bench().names().length === others.length + 2 + 1 + 1, 'older files are deleted');
      for (const name of others) {
        expect(readFileSync(join(bench().folder, name), 'utf8')).to.equal('kept\n');
        rmSync(join(bench().folder, name));
      }
      expect(bench().log.events.some(({ message }) => message.includes('SIGNING_AUDIT_KEEP_FILES'))).to.equal(true);
    });

    it('deletes none before their usage counters are saved elsewhere', async () => {
      await bench().open({ rotation: { bytes: 1000, hours: 0, files: 1 }, onNewFile: () => Promise.resolve(false) });
      await appendOneByOne(10);
      await bench().close();
      expect(bench().verifyExactly().files.length).to.be.greaterThan(3);
    });
  });

  describe('failing', () => {
    const rotation = { bytes: 2048, hours: 0, files: 0 };

    it('before the first record, continues in the old file, and tries again a minute later', async () => {
      await bench().open({ rotation });
      let tries = 0;
      bench().calls.sync = () => {
        tries += 1;
        return Promise.reject(DISK_BROKEN);
      };
      await appendOneByOne(8);
      expect(tries).to.equal(1);
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
      const facts = { file: bench().segment(1), cause: DISK_BROKEN };
      expect(bench().log.events.at(-1)).to.deep.include({ level: 'error', facts });
      bench().clock.advance(59_999);
      await bench().append();
      expect(tries).to.equal(1);
      bench().clock.advance(1);
      await bench().append();
      expect(tries).to.equal(2);
      bench().calls.sync = nodeCalls.sync;
      bench().clock.advance(60_000);
      await bench().append();
      expect(bench().verifyExactly().files).to.have.length(2);
    });

    it('in the first record, refuses records until the next file has begun', async () => {
      await bench().open({ rotation });
      await appendOneByOne(2);
      bench().calls.datasync = async (file) => {
        if (file.path !== bench().segment(1)) throw DISK_BROKEN;
        await nodeCalls.datasync(file);
      };
      while ((await bench().append()).length === 0);
      expect(bench().sink.available).to.equal(false);
      bench().mend();
      await bench().available();
      await bench().append();
      expect(bench().reasons()).to.deep.equal(['first', 'write-error']);
    });

    it('leaves a file of another program alone, and gives the next file a suffix', async () => {
      await bench().open({ rotation });
      for (let seq = 2; seq < 10; seq += 1) writeFileSync(bench().segment(seq), 'taken');
      await appendOneByOne(8);
      for (let seq = 2; seq < 10; seq += 1) {
        expect(readFileSync(bench().segment(seq), 'utf8')).to.equal('taken');
        rmSync(bench().segment(seq));
      }
      const { name, records } = bench().verifyExactly().files[1] ?? {};
      expect(name).to.match(new RegExp(`^audit\\.0+${records?.[0]?.seq}_2\\.jsonl$`));
    });
  });
});
