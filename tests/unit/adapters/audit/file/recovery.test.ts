import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { systemError, until, usePromptRetries, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** Longer than a path check is valid. */
const A_WHILE_MS = 25;
/** For the rest of an attempt. */
const SHORT_MS = 20;

describe('An audit file modified by another program', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  usePromptRetries();
  const permissions = (path: string) => statSync(path).mode & 0o777;

  beforeEach(async () => {
    await bench().open();
    await bench().append(3);
  });

  /** Modifies the file after records are synced and before they are acknowledged. */
  function interfereBehindSync(interfere: () => void): void {
    bench().calls.fdatasync = async (fd) => {
      bench().calls.fdatasync = nodeFileOperations.fdatasync;
      await nodeFileOperations.fdatasync(fd);
      interfere();
    };
  }

  /** Waits for an attempt of the retry timer, which checks the path. */
  async function attempted(): Promise<void> {
    let hasBegun = false;
    bench().calls.stat = (path) => {
      hasBegun = true;
      return nodeFileOperations.stat(path);
    };
    await until(() => hasBegun, 'it checked the path');
    await sleep(SHORT_MS);
  }

  function quarantinedFiles(): readonly string[] {
    return bench()
      .names()
      .filter((name) => name.includes('.set-aside-'));
  }

  describe('renamed', () => {
    const rotations: { readonly [how: string]: () => void } = {
      'and put nothing in its place': () => renameSync(bench().file, `${bench().file}.1`),
      'and put an empty file in its place': () => {
        renameSync(bench().file, `${bench().file}.1`);
        writeFileSync(bench().file, '');
        chmodSync(bench().file, 0o640);
      },
    };
    for (const [how, rotate] of Object.entries(rotations)) {
      it(`${how}, is followed by a new file on reopen`, async () => {
        rotate();
        await bench().sink.reopen();
        expect(await bench().append(3)).to.deep.equal([]);
        const { files } = bench().verifyExactly();
        expect(files.map(({ name, reason }) => [name, reason])).to.deep.equal([
          ['audit.jsonl.1', 'first'],
          ['audit.jsonl', 'reopened'],
        ]);
        expect(permissions(bench().file)).to.equal(how.includes('empty') ? 0o640 : 0o600);
      });
    }

    it('is detected before the next record, and none is rejected', async () => {
      renameSync(bench().file, `${bench().file}.1`);
      await sleep(A_WHILE_MS);
      expect(await bench().append(3)).to.deep.equal([]);
      const { files } = bench().verifyExactly();
      expect(files.map(({ records }) => records.length)).to.deep.equal([4, 4]);
    });

    it('and linked from its path, is not written until the link is removed', async () => {
      renameSync(bench().file, `${bench().file}.1`);
      symlinkSync(`${bench().file}.1`, bench().file);
      await sleep(A_WHILE_MS);
      const [reason] = await bench().append(2);
      expect(reason).to.include(bench().file).and.include('ELOOP');
      expect(bench().sink.available).to.equal(false);
      rmSync(bench().file);
      await bench().sink.reopen();
      expect(await bench().append(2)).to.deep.equal([]);
      const { files } = bench().verifyExactly();
      expect(files.map(({ records }) => records.length)).to.deep.equal([4, 3]);
    });
  });

  describe('removed', () => {
    async function verifyRescue(): Promise<void> {
      await bench().available();
      expect(await bench().append(3)).to.deep.equal([]);
      const { files } = bench().verifyExactly();
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'removed']);
      expect(files[0]?.name).to.equal('audit.000000000001-000000000004.jsonl');
      expect(bench().names()).to.have.length(2);
    }

    it('is detected before the next record: a copy keeps the old records, a new file continues', async () => {
      chmodSync(bench().file, 0o640);
      await bench().close();
      await bench().open();
      bench().acknowledged.length = 0;
      const before = bench().verify().records.length;
      rmSync(bench().file);
      await sleep(A_WHILE_MS);
      expect(await bench().append(3)).to.deep.equal([]);
      const [logged] = bench().log.events.filter(({ level }) => level === 'error');
      expect(logged?.message).to.include('was removed by another program').and.include(bench().file);
      const { files } = bench().verify();
      expect(files.map(({ records }) => records.length)).to.deep.equal([before, 4]);
      expect(files[1]?.reason).to.equal('removed');
      for (const { name } of files) expect(permissions(join(bench().folder, name))).to.equal(0o640);
    });

    it('is detected after the sync, so that no lost record is acknowledged', async () => {
      interfereBehindSync(() => rmSync(bench().file));
      expect(await bench().append(2)).to.have.length(2);
      await verifyRescue();
    });

    it('is saved at shutdown even if not detected before', async () => {
      rmSync(bench().file);
      await bench().close();
      expect(bench().names()).to.deep.equal(['audit.000000000001-000000000004.jsonl']);
      await bench().open();
      await bench().append(2);
      expect(bench().verifyExactly().files).to.have.length(2);
    });

    it('is saved under an unused name', async () => {
      const target = join(bench().folder, 'audit.000000000001-000000000004.jsonl');
      writeFileSync(target, 'of somebody else');
      rmSync(bench().file);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(false);
      expect(readFileSync(target, 'utf8')).to.equal('of somebody else');
      rmSync(target);
      await verifyRescue();
    });

    it('and replaced by an empty one, is saved likewise', async () => {
      rmSync(bench().file);
      writeFileSync(bench().file, '');
      await bench().sink.reopen();
      await verifyRescue();
    });

    it('is saved as soon as possible, without leaving partial copies', async () => {
      let isFull = true;
      rmSync(bench().file);
      bench().calls.write = async (fd, bytes, offset) => {
        if (isFull) throw systemError('ENOSPC', 'no space left on device, write');
        return nodeFileOperations.write(fd, bytes, offset);
      };
      await bench().append();
      await attempted();
      expect(bench().names()).to.deep.equal([]);
      expect(bench().sink.available).to.equal(false);
      isFull = false;
      await verifyRescue();
    });
  });

  describe('truncated', () => {
    it('is detected before the next signature, waits for an operator, and is quarantined', async () => {
      truncateSync(bench().file, 0);
      await sleep(A_WHILE_MS);
      const [reason] = await bench().append(2);
      expect(reason).to.include('was truncated by another program').and.include('SIGHUP').and.include('copytruncate');
      await attempted();
      expect(bench().sink.available).to.equal(false);
      expect(await bench().append()).to.have.length(1);
      expect(bench().names()).to.deep.equal(['audit.jsonl']);
      await bench().sink.reopen();
      expect(await bench().append(2)).to.deep.equal([]);
      const chain = verifyChain(bench().folder, { head: await lastBefore(4) });
      expect(chain.files.map((file) => file.reason)).to.deep.equal(['truncated']);
      expect(chain.ids).to.deep.equal(bench().acknowledged.slice(3));
    });

    it('in part, keeps the rest as evidence', async () => {
      const whole = readFileSync(bench().file, 'latin1');
      const left = whole.slice(0, whole.length / 2);
      truncateSync(bench().file, left.length);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(false);
      await bench().sink.reopen();
      expect(await bench().append(2)).to.deep.equal([]);
      const [aside] = quarantinedFiles();
      expect(readFileSync(join(bench().folder, String(aside)), 'latin1')).to.equal(left);
    });

    it('after an intact copy (copytruncate), continues by itself', async () => {
      copyFileSync(bench().file, `${bench().file}.1`);
      truncateSync(bench().file, 0);
      await sleep(A_WHILE_MS);
      expect(await bench().append(3)).to.deep.equal([]);
      const { files } = bench().verifyExactly();
      expect(files.map(({ name, reason }) => [name, reason])).to.deep.equal([
        ['audit.jsonl.1', 'first'],
        ['audit.jsonl', 'truncated'],
      ]);
      expect(bench().names()).to.deep.equal(['audit.jsonl', 'audit.jsonl.1']);
    });

    it('after the sync and a copy without those records, acknowledges none of them', async () => {
      interfereBehindSync(() => {
        copyFileSync(bench().file, `${bench().file}.1`);
        truncateSync(bench().file, 0);
      });
      expect(await bench().append(2)).to.have.length(2);
      await attempted();
      expect(bench().sink.available).to.equal(false);
    });

    it('after a copy that lacks a record, or has a modified end, waits for an operator', async () => {
      const whole = readFileSync(bench().file, 'utf8');
      await bench().append();
      const altered = readFileSync(bench().file, 'utf8').replace(/.(?="\}\n$)/, (digit) => (digit === '0' ? '1' : '0'));
      for (const [index, copy] of [whole, altered].entries()) writeFileSync(`${bench().file}.${index + 1}`, copy);
      truncateSync(bench().file, 0);
      await sleep(A_WHILE_MS);
      expect(await bench().append(2)).to.have.length(2);
      await attempted();
      expect(bench().sink.available).to.equal(false);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(true);
    });

    it('and then removed, continues in a file that records the loss', async () => {
      truncateSync(bench().file, 0);
      rmSync(bench().file);
      await bench().sink.reopen();
      await bench().sink.reopen();
      await bench().append();
      const { files } = verifyChain(bench().folder, { head: await lastBefore(4) });
      expect(files.map(({ reason }) => reason)).to.deep.equal(['truncated']);
    });
  });

  describe('changed', () => {
    const changes: { readonly [how: string]: () => void } = {
      'by adding to it': () => appendFileSync(bench().file, 'not a record\n'),
      'by putting another file in its place': () => {
        writeFileSync(`${bench().file}.other`, 'not a record\n');
        renameSync(`${bench().file}.other`, bench().file);
      },
    };
    for (const [how, change] of Object.entries(changes)) {
      it(`${how}, is detected before the next signature and quarantined on reopen without losing a record`, async () => {
        change();
        await sleep(A_WHILE_MS);
        const [reason] = await bench().append(2);
        expect(reason).to.include('was replaced or written to by another program').and.include('SIGHUP');
        await attempted();
        expect(bench().sink.available).to.equal(false);
        expect(readFileSync(bench().file, 'utf8')).to.include('not a record\n');
        await bench().sink.reopen();
        expect(await bench().append(2)).to.deep.equal([]);
        const [aside] = quarantinedFiles();
        const evidence = readFileSync(join(bench().folder, String(aside)), 'utf8');
        expect(evidence.endsWith('not a record\n')).to.equal(true);
        if (how.includes('adding')) {
          for (const id of ['c-0', 'c-1', 'c-2']) expect(evidence).to.include(`"${id}"`);
          expect(verifyChain(bench().folder, { head: await lastBefore(4) }).ids).to.deep.equal(
            bench().acknowledged.slice(3),
          );
        } else {
          bench().verifyExactly();
        }
      });
    }

    it('after the sync, is detected before anything is acknowledged', async () => {
      interfereBehindSync(() => appendFileSync(bench().file, 'not a record\n'));
      expect(await bench().append(2)).to.have.length(2);
      expect(bench().sink.available).to.equal(false);
    });

    it('and renamed, resumes in a file that records the change, and keeps the renamed one', async () => {
      appendFileSync(bench().file, 'not a record\n');
      renameSync(bench().file, `${bench().file}.1`);
      await sleep(A_WHILE_MS);
      expect(await bench().append(2)).to.deep.equal([]);
      expect(JSON.parse(readFileSync(bench().file, 'utf8').split('\n')[0] ?? '').data.reason).to.equal('changed');
      expect(readFileSync(`${bench().file}.1`, 'utf8').endsWith('not a record\n')).to.equal(true);
    });
  });

  /** The last record of the lost file, as named in the new one. */
  async function lastBefore(seq: number): Promise<{ seq: number; hash: string }> {
    const [first = ''] = readFileSync(bench().file, 'utf8').split('\n');
    const { prevHash } = JSON.parse(first) as { prevHash: string };
    return { seq, hash: prevHash };
  }
});
