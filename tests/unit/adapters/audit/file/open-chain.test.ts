import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import type { ReachedRecord } from '../../../../../src/adapters/audit/file/file-tail.ts';
import type { AuditSinkOptions } from '../../../../../src/adapters/audit/writer/winston-audit-sink.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { type BenchOptions, createGate, SinkBench, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const TIME = '2026-11-20T08:49:00.000Z';

/** A segment record and `records` others. */
function createChain(records: number, fields: ConstructorParameters<typeof AuditChain>[0] = {}): AuditChain {
  const chain = new AuditChain({ time: TIME, ...fields });
  for (let count = 0; count < records; count += 1)
    chain.append(sampleAuditEntry({ time: TIME, correlationId: `before-${count}` }));
  return chain;
}

/** Only another program writes such a segment record. */
function withoutSignature(text: string): string {
  return text.replace(/,"sig":"[^"]*"\}/, '}');
}

describe('Opening the audit file', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  const file = () => bench().file;
  const permissions = (path: string) => statSync(path).mode & 0o777;
  const reachedBy = ({ head }: AuditChain, closed: boolean): ReachedRecord => ({ ...head, closed });

  /** Four records by this service's key, the last one signed. */
  function signedChain(): AuditChain {
    const chain = createChain(3, { key: bench().key });
    chain.sign();
    return chain;
  }

  async function appendOne(options: BenchOptions = {}): Promise<void> {
    await bench().open(options);
    await bench().append();
    await bench().close();
  }

  async function openError(options: BenchOptions = {}): Promise<string> {
    return bench()
      .open(options)
      .then(
        async (sink) => {
          await sink.close();
          return expect.fail('should have rejected');
        },
        (error: unknown) => {
          expect(error).to.be.instanceOf(AuditUnavailableError);
          return (error as Error).message;
        },
      );
  }

  /** The error for a file with this text, which it leaves unchanged and alone. */
  async function errorFor(text: string, options: BenchOptions = {}, path = file()): Promise<string> {
    writeFileSync(path, text);
    const message = await openError(options);
    expect(readFileSync(path, 'utf8')).to.equal(text);
    expect(bench().names()).to.deep.equal([basename(path)]);
    expect(message).to.include(path);
    return message;
  }

  function clear(): void {
    for (const name of bench().names()) rmSync(join(bench().folder, name));
  }

  describe('a missing file', () => {
    it('creates it for its owner only, and begins a chain', async () => {
      await appendOne();
      expect(permissions(file())).to.equal(0o600);
      const { files, records } = bench().verifyExactly();
      const auditPublicKey = Buffer.from(bench().key.publicKey).toString('base64');
      expect(files).to.have.length(1);
      expect(records[0]?.data).to.deep.equal({ reason: 'first', auditPublicKey });
      expect(bench().sink.facts).to.deep.equal({ auditPublicKey });
    });

    it('creates missing folders for the owner only, and syncs its folder and the folder above each new one', async () => {
      const folders = new Map<number, string>();
      const synced: string[] = [];
      bench().calls.open = async (path, flags, mode) => {
        const fd = await nodeFileOperations.open(path, flags, mode);
        if ((flags & constants.O_DIRECTORY) !== 0) folders.set(fd, path);
        return fd;
      };
      bench().calls.fsync = async (fd) => {
        await nodeFileOperations.fsync(fd);
        synced.push(folders.get(fd) ?? 'a file');
      };
      const [above, below] = [join(folder(), 'a'), join(folder(), 'a', 'b')];
      await appendOne({ file: join(below, 'audit.jsonl') });
      expect(synced).to.have.members([folder(), above, below]);
      for (const made of [above, below]) expect(permissions(made)).to.equal(0o700);
    });

    it('continues after the newest rotated file', async () => {
      const chain = signedChain();
      chain.beginSegment('size');
      chain.append();
      chain.sign();
      chain.write(file());
      renameSync(file(), `${file()}.1`);
      await appendOne();
      const { files } = bench().verify();
      expect(files.map(({ name, reason }) => [name, reason])).to.deep.equal([
        ['audit.000000000001-000000000004.jsonl', 'first'],
        ['audit.jsonl.1', 'size'],
        ['audit.jsonl', 'reopened'],
      ]);
    });

    it('continues in an empty file with its mode', async () => {
      writeFileSync(`${file()}.1`, signedChain().text());
      writeFileSync(file(), '');
      chmodSync(file(), 0o640);
      await appendOne();
      const { files } = bench().verify();
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'reopened']);
      expect(permissions(file())).to.equal(0o640);
    });

    it('moves the truncated end of the newest rotated file aside, and reports it', async () => {
      const chain = signedChain();
      const signed = chain.text();
      chain.append();
      const tail = `${chain.text().slice(signed.length)}{"v":2,"seq":6,`;
      writeFileSync(`${file()}.1`, signed + tail);
      await appendOne();
      expect(bench().sink.facts).to.include({ tornBytes: tail.length, unsignedRecords: 1 });
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(tail);
      bench().verify();
    });

    it('rejects if the last records are missing without a graceful shutdown', async () => {
      const message = await openError({ reached: reachedBy(createChain(3), false) });
      expect(message).to.include(file()).and.include('record 4 was written').and.include('.usage');
      expect(bench().names()).to.deep.equal([]);
    });

    it('rejects a rotated file without a signed record, or with a modified end', async () => {
      const unsigned = withoutSignature(createChain(0).text());
      expect(await errorFor(unsigned, {}, `${file()}.1`)).to.include('Move it to another folder');
      const altered = signedChain().text().replace('before-2', 'before-9');
      expect(await errorFor(altered, {}, `${file()}.1`)).to.include('signing-service audit verify');
    });
  });

  describe('an existing file', () => {
    it('keeps its content and mode', async () => {
      await appendOne();
      const before = readFileSync(file(), 'utf8');
      chmodSync(file(), 0o640);
      await appendOne();
      expect(readFileSync(file(), 'utf8').startsWith(before)).to.equal(true);
      expect(permissions(file())).to.equal(0o640);
      expect(bench().verifyExactly().files).to.have.length(1);
      expect(bench().log.events.map(({ level }) => level)).to.not.include.members(['warn', 'error']);
    });

    it('moves unsigned records aside, as after a crash, with a warning', async () => {
      const chain = signedChain();
      const signed = chain.text();
      chain.append();
      chain.append();
      const tail = `${chain.text().slice(signed.length)}{"v":2,"seq":`;
      writeFileSync(file(), signed + tail);
      await appendOne();
      expect(readFileSync(file(), 'utf8').startsWith(signed)).to.equal(true);
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(tail);
      expect(bench().sink.facts).to.include({ unsignedRecords: 2, tornBytes: tail.length });
      expect(bench().log.events[0]?.level).to.equal('warn');
      expect(bench().log.events[0]?.facts).to.deep.equal({
        ...{ file: file(), movedTo: `${file()}.torn`, bytes: tail.length },
        ...{ records: 2, firstRecord: 5, lastRecord: 6 },
      });
      verifyChain(bench().folder);
    });

    it('moves an unsigned file aside, and starts it again after the previous one', async () => {
      const chain = signedChain();
      chain.beginSegment('size');
      const [, last = ''] = chain.write(file());
      const unsigned = withoutSignature(readFileSync(last, 'utf8'));
      writeFileSync(last, unsigned);
      await appendOne();
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(unsigned);
      expect(verifyChain(bench().folder).files.map(({ reason }) => reason)).to.deep.equal(['first', 'reopened']);
    });

    it('names the file for truncated records, and leaves both unchanged, when it is a link, a folder or a pipe', async () => {
      const torn = `${file()}.torn`;
      await appendOne();
      appendFileSync(file(), '{"v":2,"seq":');
      const before = readFileSync(file(), 'utf8');
      for (const [code, make] of [
        ['ELOOP', () => symlinkSync('/dev/null', torn)],
        ['EISDIR', () => mkdirSync(torn)],
        ['ENXIO', () => execFileSync('mkfifo', [torn])],
      ] as const) {
        make();
        expect(await openError())
          .to.include(`was not moved, because ${torn} cannot be opened (${code}: `)
          .and.include(`Move ${torn} to another folder, then start again.`)
          .and.not.include('SIGNING_AUDIT_FILE');
        expect(readFileSync(file(), 'utf8')).to.equal(before);
        rmSync(torn, { recursive: true });
      }
      await appendOne();
      bench().verifyExactly();
    });

    it('rejects records or an incomplete line added after a graceful shutdown', async () => {
      for (const path of [file(), `${file()}.1`]) {
        for (const [records, tail, what] of [
          [2, '', 'records 5 to 6 were added'],
          [0, '{"v":2,"seq":5,"time":', 'an incomplete line was added'],
        ] as const) {
          const chain = signedChain();
          const reached = reachedBy(chain, true);
          for (let count = 0; count < records; count += 1) chain.append();
          expect(await errorFor(chain.text() + tail, { reached }, path))
            .to.include(`after record 4, the last one before a graceful shutdown: ${what} since then`)
            .and.include(`${file()}.usage`);
          // The remedy in the message.
          await appendOne({ reached: null });
          verifyChain(bench().folder);
          clear();
        }
      }
    });

    it('rejects a file to which another program added lines and its last signed record', async () => {
      const forged = (chain: AuditChain) => {
        chain.append(sampleAuditEntry({ correlationId: 'forged' }));
        return `${chain.lines.at(-1)}\n`;
      };
      for (const add of [() => '', forged, () => 'garbage\n\n']) {
        for (const [isMoved, closed, isSizeKnown] of [
          [false, true, true],
          [false, false, false],
          [true, true, true],
        ] as const) {
          const chain = signedChain();
          const [whole, last] = [chain.text(), chain.lines.at(-1)];
          const reached = { ...reachedBy(chain, closed), ...(isSizeKnown && { size: whole.length }) };
          const text = `${whole}${add(chain)}${last}\n`;
          expect(await errorFor(text, { reached }, isMoved ? `${file()}.1` : file())).to.include(
            'another program altered, added, repeated or removed lines',
          );
          clear();
        }
      }
    });

    it('rejects a file with removed records', async () => {
      for (const path of [file(), `${file()}.1`]) {
        for (const removed of [1, 2]) {
          const chain = signedChain();
          const reached = { ...reachedBy(chain, true), size: chain.text().length };
          const text = chain.lines.toSpliced(1, removed).join('\n').concat('\n');
          expect(await errorFor(text, { reached }, path)).to.include(
            'another program altered, added, repeated or removed lines',
          );
          clear();
        }
      }
    });

    it('rejects a file with records replaced under another key', async () => {
      const chain = signedChain();
      const before = chain.head;
      const [first = ''] = chain.write(file());
      renameSync(first, `${file()}.1`);
      for (let count = 0; count < 3; count += 1) chain.append();
      chain.sign();
      const forged = new AuditChain({ head: before, key: bench().key, time: TIME });
      forged.beginSegment('key', createAuditKey());
      for (let count = 0; count < 8; count += 1) forged.append();
      forged.sign();
      forged.write(file());
      expect(await openError({ reached: reachedBy(chain, true) })).to.include(
        `Record ${chain.head.seq} of the audit file ${file()} differs from the one that was written`,
      );
      const other = { seq: before.seq, hash: `sha256:${'00'.repeat(32)}`, closed: true };
      expect(await openError({ reached: other })).to.include(`Record ${before.seq} of the audit file`);
    });

    it('rejects a file whose signatures were removed after a graceful shutdown', async () => {
      const text = withoutSignature(createChain(0, { key: bench().key }).text());
      expect(await errorFor(text, { reached: reachedBy(signedChain(), true) })).to.include(
        'have no records, but record 4 was written',
      );
    });

    it('rejects a shortened file, naming both ends and what a new chain costs', async () => {
      const chain = signedChain();
      const text = chain.text();
      chain.append();
      chain.sign();
      const reached = reachedBy(chain, true);
      expect(await errorFor(text, { reached: { ...reached, closed: false } }))
        .to.include('end with record 4, but record 5 was written')
        .and.include(`its rotated files and ${file()}.usage together to another folder`)
        .and.include('A new chain then begins with record 1');
      expect(await errorFor(text, { reached }))
        .to.include('end with record 4, but record 5 was written')
        .and.include(`leave ${file()}.usage in place`)
        .and.include(`after record ${reached.seq}, with reason \`missing\``);
      // As the message advises.
      rmSync(file());
      await appendOne({ reached });
      const first = JSON.parse(readFileSync(file(), 'utf8').split('\n')[0] ?? '');
      expect(first).to.deep.include({ seq: reached.seq + 1, prevHash: reached.hash });
      expect(first.data.reason).to.equal('missing');
    });

    it('accepts the known record and later ones', async () => {
      const chain = signedChain();
      const reached = reachedBy(chain, false);
      chain.append();
      chain.sign();
      chain.write(file());
      await appendOne({ reached });
      bench().verify();
    });

    it('rejects records signed by another key after a graceful shutdown', async () => {
      const chain = signedChain();
      const reached = reachedBy(chain, true);
      chain.beginSegment('key', createAuditKey());
      chain.write(file());
      expect(await openError({ reached }))
        .to.include('signed by an audit key other than')
        .and.include(file());
    });

    it('accepts records of its own key left by a failed start after a graceful shutdown', async () => {
      const chain = createChain(3, { key: createAuditKey() });
      chain.sign();
      const reached = reachedBy(chain, true);
      chain.beginSegment('key', bench().key);
      chain.write(file());
      await appendOne({ reached });
      verifyChain(bench().folder);
    });

    it('begins a new file when the key changes', async () => {
      await appendOne();
      const key = createAuditKey();
      await appendOne({ writer: { key, instanceId: 'instance-2', clock: bench().clock } });
      const { files, signed } = bench().verifyExactly();
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first', 'key']);
      expect(files[1]?.records[0]?.data?.['auditPublicKey']).to.equal(Buffer.from(key.publicKey).toString('base64'));
      expect(signed).to.have.length(4);
    });

    it('rejects altered, foreign and invalid lines at its end, naming the command to run', async () => {
      const whole = createChain(5).text();
      const signed = signedChain();
      const other = createChain(3, { key: createAuditKey() });
      other.sign();
      const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(other.text()) ?? [];
      for (const text of [
        whole.replace('before-3', 'before-9'),
        `${whole}notes\n`,
        `${whole}${createChain(9).lines[6]}\n`,
        signed.text().replace(/[^"]*(?="\}\n$)/, sig),
      ]) {
        expect(await errorFor(text))
          .to.include(`signing-service audit verify ${file()}`)
          .and.include('line at byte');
      }
    });
  });

  describe('rejects, naming the file, the setting and the remedy,', () => {
    const record = createChain(0).text();

    it('a symbolic link, and leaves its target unchanged', async () => {
      const target = join(folder(), 'target');
      writeFileSync(target, record);
      symlinkSync(target, file());
      expect(await openError())
        .to.include(`The audit file ${file()} cannot be opened (ELOOP`)
        .and.include('symbolic link')
        .and.include('set SIGNING_AUDIT_FILE');
      expect(readFileSync(target, 'utf8')).to.equal(record);
    });

    it('a path through a file', async () => {
      writeFileSync(file(), record);
      for (const path of [join(file(), 'audit.jsonl'), join(file(), 'deeper', 'audit.jsonl')]) {
        expect(await openError({ file: path }))
          .to.include(path)
          .and.include('is a file, not a folder')
          .and.include('SIGNING_AUDIT_FILE');
      }
    });

    it('a pipe, without blocking on it', async () => {
      execFileSync('mkfifo', [file()]);
      expect(await openError())
        .to.include(`${file()} is not an audit file`)
        .and.include('SIGNING_AUDIT_FILE');
      expect(statSync(file()).isFIFO()).to.equal(true);
    });

    it('another file, and leaves it unchanged', async () => {
      for (const text of [
        'my precious notes\n',
        '{"version":3,"crypto":{}}',
        `${record}SECRET=1`,
        `${'x'.repeat(100_000)}\n`,
        'x'.repeat(100_000),
        `\n${record}`,
        `${createChain(3).lines.slice(1).join('\n')}\n`,
      ]) {
        expect(await errorFor(text))
          .to.include('is not an audit file')
          .and.include('SIGNING_AUDIT_FILE')
          .and.not.include('SECRET=1');
      }
    });
  });

  describe('a file of another service', () => {
    async function expectRefused(findReached: AuditSinkOptions['findReached'] = async () => null): Promise<void> {
      const second = new SinkBench(bench().folder);
      const error = await second.open({ findReached }).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(AuditUnavailableError);
      expect((error as Error).message)
        .to.include(file())
        .and.include('Another running service')
        .and.include('SIGNING_AUDIT_FILE');
    }

    it('rejects it while the other runs, truncated or not, and opens it afterwards', async () => {
      await bench().open();
      await bench().append();
      appendFileSync(file(), '{"v":2,"seq":');
      const before = readFileSync(file(), 'utf8');
      await expectRefused();
      expect(readFileSync(file(), 'utf8')).to.equal(before);
      await bench().close();
      await appendOne();
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal('{"v":2,"seq":');
      bench().verifyExactly();
    });

    it('rejects it after the other has rotated it, while it is moved, and once it is removed', async () => {
      await bench().open({ rotation: { bytes: 1000, hours: 0, files: 0 } });
      for (let count = 0; count < 5; count += 1) await bench().append();
      await expectRefused();
      renameSync(file(), `${file()}.1`);
      await expectRefused();
      rmSync(`${file()}.1`);
      await expectRefused();
    });

    it('rejects it until the other has stored its end after closing the file', async () => {
      const noting = createGate();
      const noted = createGate();
      await bench().open({
        onClosed: () => {
          noting.open();
          return noted.passed;
        },
      });
      await bench().append();
      const closing = bench().close();
      await noting.passed;
      await expectRefused();
      noted.open();
      await closing;
      await bench().open();
    });

    it('rejects it even if the lock file was deleted', async () => {
      await bench().open();
      await bench().append();
      rmSync(`${file()}.lock`);
      await expectRefused();
      await bench().append();
      bench().verifyExactly();
    });
  });
});
