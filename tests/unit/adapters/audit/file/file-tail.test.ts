import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { SinkBench, systemError, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const KEY = createAuditKey();

function textOf(records: number): string {
  const chain = new AuditChain({ key: KEY });
  for (let count = 0; count < records; count += 1) chain.append();
  chain.sign();
  return chain.text();
}

describe('A truncated last line', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder, KEY);
  const file = () => bench().file;
  const truncated = () => `${file()}.torn`;
  const whole = textOf(2);
  const line = `${whole.split('\n')[2]}\n`.replace('"seq":3', '"seq":4');

  const cases: readonly (readonly [string, string, string])[] = [
    ['longer than one read', whole, `{"v":2,"seq":4,"time":"${'x'.repeat(200_000)}`],
    ['behind more than one read of whole records', textOf(300), line.slice(0, 50)],
    ['that a power cut left as zeros', whole, '\0'.repeat(4096)],
  ];
  for (const [name, before, tail] of cases) {
    it(`moves ${name} aside, reports and records it, and continues the chain`, async () => {
      writeFileSync(file(), before + tail);
      await bench().open();
      await bench().append();
      const text = readFileSync(file(), 'utf8');
      expect(text.startsWith(before)).to.equal(true);
      expect(readFileSync(truncated(), 'utf8')).to.equal(tail);
      expect(statSync(truncated()).mode & 0o777).to.equal(0o600);
      expect(bench().sink.facts).to.include({ tornBytes: tail.length });
      expect(bench().log.events[0]?.level).to.equal('warn');
      expect(bench().log.events[0]?.facts).to.deep.equal({ file: file(), movedTo: truncated(), bytes: tail.length });
      verifyChain(bench().folder);
    });
  }

  it('is appended to earlier ones', async () => {
    for (const tail of ['{"v":2,"seq":first', '{"v":2,"seq":second']) {
      if (tail.includes('first')) writeFileSync(file(), whole);
      appendFileSync(file(), tail);
      await bench().open();
      await bench().close();
    }
    expect(readFileSync(truncated(), 'utf8')).to.equal('{"v":2,"seq":first{"v":2,"seq":second');
    verifyChain(bench().folder);
  });

  it('is the only loss after a crash at any byte of a write', async () => {
    const source = new SinkBench(join(folder(), 'source'), KEY);
    await source.open();
    for (let count = 0; count < 4; count += 1) await source.append(3);
    const bytes = readFileSync(source.file);
    await source.close();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (size) => {
        const crashed = new SinkBench(join(folder(), `run-${run++}`), KEY);
        mkdirSync(crashed.folder);
        writeFileSync(crashed.file, bytes.subarray(0, size));
        const written = bytes.subarray(0, size);
        const groups = written.toString('latin1').split(/(?<="sig":.*\n)/);
        const signed = groups.filter((group) => group.endsWith('\n') && group.includes('"sig":')).join('');
        await crashed.open();
        await crashed.close();
        const text = readFileSync(crashed.file, 'latin1');
        const { records } = verifyChain(crashed.folder);
        expect(text.startsWith(signed)).to.equal(true);
        const signatures = records.filter(({ event }) => event === 'sign');
        expect(signatures).to.have.length(signed.split('"event":"sign"').length - 1);
        const aside = size > signed.length ? readFileSync(`${crashed.file}.torn`, 'latin1') : '';
        expect(signed + aside).to.equal(written.toString('latin1'));
      }),
      { numRuns: 12 },
    );
  });

  it('is truncated only once the copy and its name are durable', async () => {
    writeFileSync(file(), `${whole}{"v":2,"seq":torn`);
    const steps: string[] = [];
    const names = new Map<number, string>();
    const getName = (fd: number) => names.get(fd) ?? 'unknown';
    Object.assign(bench().calls, {
      open: async (path: string, flags: number, mode?: number) => {
        const fd = await nodeFileOperations.open(path, flags, mode);
        names.set(fd, path);
        return fd;
      },
      write: (fd: number, bytes: Uint8Array, offset: number) => {
        steps.push(`write ${getName(fd)}`);
        return nodeFileOperations.write(fd, bytes, offset);
      },
      fsync: async (fd: number) => {
        await nodeFileOperations.fsync(fd);
        steps.push(`synced ${getName(fd)}`);
      },
      ftruncate: (fd: number, size: number) => {
        steps.push(`cut ${getName(fd)}`);
        return nodeFileOperations.ftruncate(fd, size);
      },
    });
    await bench().open();
    expect(steps.slice(0, 4)).to.deep.equal([
      `write ${truncated()}`,
      `synced ${truncated()}`,
      `synced ${bench().folder}`,
      `cut ${file()}`,
    ]);
  });

  it('is left in place when it cannot be moved aside', async () => {
    const before = `${whole}{"v":2,"seq":torn`;
    writeFileSync(file(), before);
    bench().calls.write = () => Promise.reject(systemError('ENOSPC', 'no space left on device, write'));
    const error = await bench()
      .open()
      .catch((reason: unknown) => reason);
    expect(String(error)).to.include('Free space');
    expect(readFileSync(file(), 'utf8')).to.equal(before);
  });
});
