import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { SinkBench, systemError, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const HOUR_MS = 3_600_000;
const DENIED = systemError('EACCES', 'permission denied, rename');

describe('RotationPolicy', () => {
  const bench = useSinkBench(useTemporaryFolder());

  describe('by size', () => {
    const rotation = { bytes: 8192, hours: 0, files: 0 };

    it('begins the next file once the size is reached, and names the old one for its records', async () => {
      await bench().open({ rotation });
      for (let count = 0; count < 15; count += 1) await bench().append();
      await bench().close();
      await bench().open({ rotation });
      for (let count = 0; count < 15; count += 1) await bench().append();
      const { files } = bench().verifyExactly();
      expect(files.length).to.be.above(2);
      expect(files.slice(1).every(({ reason }) => reason === 'size')).to.equal(true);
      for (const { name, records } of files.slice(0, -1)) {
        expect(statSync(join(bench().folder, name)).size).to.be.within(8192, 8192 + 2000);
        const digits = (record?: { seq: number }) => String(record?.seq).padStart(12, '0');
        expect(name).to.equal(`audit.${digits(records[0])}-${digits(records.at(-1))}.jsonl`);
      }
      expect(files.at(-1)?.name).to.equal('audit.jsonl');
    });

    it('copies the current mode of the last file', async () => {
      await bench().open({ rotation });
      await bench().append();
      chmodSync(bench().file, 0o640);
      for (let count = 0; count < 12; count += 1) await bench().append();
      for (const name of bench().names()) expect(statSync(join(bench().folder, name)).mode & 0o777).to.equal(0o640);
    });

    it('copies the current owner and group if permitted', async () => {
      const group = 4242;
      for (const isAllowed of [true, false]) {
        const given: (readonly number[])[] = [];
        const own = new SinkBench(join(bench().folder, String(isAllowed)));
        own.calls.fchown = async (_fd, uid, gid) => {
          given.push([uid, gid]);
          if (!isAllowed) throw systemError('EPERM', 'operation not permitted, fchown');
        };
        await own.open({ rotation });
        const { ino } = statSync(own.file);
        own.calls.fstat = async (fd) => {
          const found = await nodeFileOperations.fstat(fd);
          return found.ino === ino ? Object.assign(found, { gid: group }) : found;
        };
        for (let count = 0; count < 15; count += 1) expect(await own.append()).to.deep.equal([]);
        expect(given[0]).to.deep.equal([statSync(own.file).uid, group]);
        own.verifyExactly();
        await own.close();
      }
    });

    it('does not rotate by default, nor a file with only its segment record', async () => {
      await bench().open();
      await bench().append(50);
      bench().clock.advance(1000 * HOUR_MS);
      await bench().append();
      expect(bench().names()).to.deep.equal(['audit.jsonl']);
      await bench().close();
      await bench().open({ file: join(bench().folder, 'other.jsonl'), rotation: { bytes: 1, hours: 0, files: 0 } });
      await bench().append();
      expect(bench().names()).to.deep.equal(['audit.jsonl', 'other.jsonl']);
    });
  });

  describe('by age', () => {
    const rotation = { bytes: 0, hours: 24, files: 0 };

    it('begins the next file before the first record after that time, across restarts', async () => {
      await bench().open({ rotation });
      await bench().append(2);
      await bench().close();
      bench().clock.advance(24 * HOUR_MS - 1);
      await bench().open({ rotation });
      await bench().append(2);
      expect(bench().names()).to.have.length(1);
      bench().clock.advance(1);
      await bench().append(2);
      const { files } = bench().verifyExactly();
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'age']);
      expect(files[1]?.records).to.have.length(1 + 2);
    });
  });

  describe('keeping files', () => {
    it('deletes the oldest files that it rotated itself, and nothing else', async () => {
      await bench().open({ rotation: { bytes: 4096, hours: 0, files: 2 } });
      const others = [
        'audit.jsonl.1',
        'audit.000000000001-000000000002.jsonl.gz',
        'other.000000000001-000000000002.jsonl',
        'audit.jsonl.torn',
      ];
      for (const name of others) writeFileSync(join(bench().folder, name), 'kept\n');
      for (let count = 0; count < 25; count += 1) await bench().append();
      for (const name of others) expect(readFileSync(join(bench().folder, name), 'utf8')).to.equal('kept\n');
      const rotated = bench()
        .names()
        .filter((name) => !others.includes(name) && name !== 'audit.jsonl');
      expect(rotated).to.have.length(2);
      for (const name of others) rmSync(join(bench().folder, name));
      const last = JSON.parse(readFileSync(bench().file, 'utf8').split('\n')[0] ?? '') as { seq: number };
      expect(rotated.at(-1)).to.include(String(last.seq - 1));
      expect(bench().log.events.some(({ message }) => message.includes('SIGNING_AUDIT_KEEP_FILES'))).to.equal(true);
    });

    it('deletes none before their usage counters are saved elsewhere', async () => {
      await bench().open({
        rotation: { bytes: 1000, hours: 0, files: 1 },
        onNewFile: () => Promise.resolve(false),
      });
      for (let round = 0; round < 5; round += 1) await bench().append(2);
      await bench().close();
      expect(bench().verifyExactly().files.length).to.be.greaterThan(3);
    });
  });

  describe('failing', () => {
    const rotation = { bytes: 2048, hours: 0, files: 0 };

    it('continues in the old file, logs it, and retries a minute later', async () => {
      await bench().open({ rotation });
      let tries = 0;
      bench().calls.rename = () => {
        tries += 1;
        return Promise.reject(DENIED);
      };
      for (let count = 0; count < 8; count += 1) expect(await bench().append()).to.deep.equal([]);
      expect(tries).to.equal(1);
      expect(bench().names()).to.deep.equal(['audit.jsonl']);
      expect(bench().log.events.at(-1)).to.deep.include({
        level: 'error',
        facts: { file: bench().file, cause: DENIED },
      });
      bench().clock.advance(59_999);
      await bench().append();
      expect(tries).to.equal(1);
      bench().clock.advance(1);
      await bench().append();
      expect(tries).to.equal(2);
      bench().calls.rename = nodeFileOperations.rename;
      bench().clock.advance(60_000);
      await bench().append();
      expect(bench().verifyExactly().files).to.have.length(2);
    });

    it('does not overwrite an existing file of the target name', async () => {
      await bench().open({ rotation });
      const names = Array.from({ length: 20 }, (_, index) => index + 1).map(
        (seq) => `audit.000000000001-${String(seq).padStart(12, '0')}.jsonl`,
      );
      for (const name of names) writeFileSync(join(bench().folder, name), 'taken');
      for (let count = 0; count < 10; count += 1) expect(await bench().append()).to.deep.equal([]);
      for (const name of names) {
        expect(readFileSync(join(bench().folder, name), 'utf8')).to.equal('taken');
        rmSync(join(bench().folder, name));
      }
      bench().verifyExactly();
    });

    it('rejects when it fails after the rename, and resumes once a file can be created', async () => {
      await bench().open({ rotation });
      for (let count = 0; count < 3; count += 1) await bench().append();
      bench().calls.open = () => Promise.reject(DENIED);
      for (let count = 0; count < 3; count += 1) await bench().append();
      expect(bench().sink.available).to.equal(false);
      expect(bench().refused).to.not.deep.equal([]);
      bench().calls.open = nodeFileOperations.open;
      await bench().available();
      await bench().append();
      bench().verifyExactly();
    });
  });
});
