import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { type FileOperations, nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import type { ReachedRecord } from '../../../../../src/adapters/audit/file/file-tail.ts';
import type { AuditSinkOptions } from '../../../../../src/adapters/audit/writer/winston-audit-sink.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import {
  type BenchOptions,
  createGate,
  SinkBench,
  systemError,
  useSinkBench,
  useTemporaryFolder,
} from '../sink-bench.ts';
import { verifyChain } from '../verified-chain.ts';

/** The start of a chain with one record. */
function createChain(records: number, fields: ConstructorParameters<typeof AuditChain>[0] = {}): AuditChain {
  const chain = new AuditChain({ time: '2026-11-20T08:49:00.000Z', ...fields });
  for (let count = 0; count < records; count += 1) {
    chain.append(sampleAuditEntry({ time: '2026-11-20T08:49:00.000Z', correlationId: `before-${count}` }));
  }
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

  const reachedBy = ({ head }: AuditChain, closed: boolean): ReachedRecord => ({ ...head, closed });

  describe('a missing file', () => {
    it('creates it for its owner only, and begins a chain', async () => {
      await appendOne();
      expect(permissions(file())).to.equal(0o600);
      const { files, records } = bench().verifyExactly();
      expect(files.map(({ reason }) => reason)).to.deep.equal(['first']);
      expect(records[0]?.data).to.deep.equal({
        reason: 'first',
        auditPublicKey: Buffer.from(bench().key.publicKey).toString('base64'),
      });
      expect(bench().sink.facts).to.deep.equal({
        auditPublicKey: Buffer.from(bench().key.publicKey).toString('base64'),
      });
    });

    it('creates missing folders for the owner only', async () => {
      const deep = join(folder(), 'var', 'audit', 'audit.jsonl');
      await appendOne({ file: deep });
      expect(permissions(join(folder(), 'var'))).to.equal(0o700);
      expect(permissions(dirname(deep))).to.equal(0o700);
    });

    it('syncs its folder, and the folder above each new folder', async () => {
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
      await appendOne({ file: join(folder(), 'a', 'b', 'audit.jsonl') });
      expect(synced).to.have.members([folder(), join(folder(), 'a'), join(folder(), 'a', 'b')]);
    });

    it('continues after the newest rotated file', async () => {
      const chain = createChain(3);
      chain.sign();
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
      const chain = createChain(3);
      chain.sign();
      writeFileSync(`${file()}.1`, chain.text());
      writeFileSync(file(), '');
      chmodSync(file(), 0o640);
      await appendOne();
      expect(
        bench()
          .verify()
          .files.map(({ reason }) => reason),
      ).to.deep.equal(['first', 'reopened']);
      expect(permissions(file())).to.equal(0o640);
    });

    it('moves the truncated end of the newest rotated file aside, and reports it', async () => {
      const chain = createChain(3);
      chain.sign();
      const signed = chain.text();
      chain.append();
      const tail = `${chain.text().slice(signed.length)}{"v":2,"seq":6,`;
      writeFileSync(`${file()}.1`, signed + tail);
      await bench().open();
      await bench().append();
      expect(bench().sink.facts).to.include({ tornBytes: tail.length, unsignedRecords: 1 });
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(tail);
      rmSync(`${file()}.torn`);
      bench().verify();
    });

    it('continues from the known record after a graceful shutdown', async () => {
      const chain = createChain(3);
      await bench().open({ reached: reachedBy(chain, true) });
      await bench().append();
      const [first] = readFileSync(file(), 'utf8').split('\n').slice(0, 1);
      expect(JSON.parse(String(first))).to.deep.include({ seq: 5, prevHash: chain.head.hash });
    });

    it('rejects if the last records are missing without a graceful shutdown', async () => {
      const message = await openError({ reached: reachedBy(createChain(3), false) });
      expect(message).to.include(file()).and.include('record 4 was written').and.include('.usage');
      expect(bench().names()).to.deep.equal([]);
    });

    it('rejects rotated files that end too early, naming both ends', async () => {
      const chain = createChain(3);
      chain.sign();
      writeFileSync(`${file()}.1`, chain.text());
      chain.append();
      chain.sign();
      const message = await openError({ reached: reachedBy(chain, false) });
      expect(message).to.include('end with record 4').and.include('record 5 was written');
      expect(bench().names()).to.deep.equal(['audit.jsonl.1']);
    });

    it('rejects a rotated file without a signed record', async () => {
      const text = withoutSignature(createChain(0).text());
      writeFileSync(`${file()}.1`, text);
      expect(await openError())
        .to.include(`${file()}.1`)
        .and.include('Move it to another folder');
      expect(readFileSync(`${file()}.1`, 'utf8')).to.equal(text);
    });

    it('rejects a rotated file with a modified end', async () => {
      const chain = createChain(3);
      chain.sign();
      writeFileSync(`${file()}.1`, chain.text().replace('before-2', 'before-9'));
      expect(await openError())
        .to.include(`${file()}.1`)
        .and.include('signing-service audit verify');
      expect(bench().names()).to.deep.equal(['audit.jsonl.1']);
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
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      const signed = chain.text();
      chain.append();
      chain.append();
      const unsigned = chain.text().slice(signed.length);
      writeFileSync(file(), `${chain.text()}{"v":2,"seq":`);
      await appendOne();
      const text = readFileSync(file(), 'utf8');
      expect(text.startsWith(signed)).to.equal(true);
      expect(text).to.not.include(unsigned);
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(`${unsigned}{"v":2,"seq":`);
      const tornBytes = unsigned.length + '{"v":2,"seq":'.length;
      expect(bench().sink.facts).to.include({ unsignedRecords: 2, tornBytes });
      expect(bench().log.events[0]?.level).to.equal('warn');
      expect(bench().log.events[0]?.facts).to.deep.equal({
        ...{ file: file(), movedTo: `${file()}.torn`, bytes: tornBytes },
        ...{ records: 2, firstRecord: 5, lastRecord: 6 },
      });
      verifyChain(bench().folder);
    });

    it('moves an unsigned file aside, and starts it again after the previous one', async () => {
      const chain = createChain(2, { key: bench().key });
      chain.sign();
      chain.beginSegment('size');
      const [, last = ''] = chain.write(file());
      const unsigned = withoutSignature(readFileSync(last, 'utf8'));
      writeFileSync(last, unsigned);
      await appendOne();
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal(unsigned);
      expect(verifyChain(bench().folder).files.map(({ reason }) => reason)).to.deep.equal(['first', 'reopened']);
    });

    for (const [what, code, make] of [
      ['a link', 'ELOOP', (path: string) => symlinkSync('/dev/null', path)],
      ['a folder', 'EISDIR', (path: string) => mkdirSync(path)],
      ['a pipe', 'ENXIO', (path: string) => execFileSync('mkfifo', [path])],
    ] as const) {
      it(`names the file for truncated records, and leaves both unchanged, when it is ${what}`, async () => {
        const truncated = `${file()}.torn`;
        await appendOne();
        appendFileSync(file(), '{"v":2,"seq":');
        const before = readFileSync(file(), 'utf8');
        make(truncated);
        expect(await openError())
          .to.include(`was not moved, because ${truncated} cannot be opened (${code}: `)
          .and.include(`Move ${truncated} to another folder, then start again.`)
          .and.not.include('SIGNING_AUDIT_FILE');
        expect(readFileSync(file(), 'utf8')).to.equal(before);
        rmSync(truncated, { recursive: true });
        await appendOne();
        bench().verifyExactly();
      });
    }

    it('rejects records added after a graceful shutdown, and leaves the file unchanged', async () => {
      for (const isMoved of [false, true]) {
        const chain = createChain(3, { key: bench().key });
        chain.sign();
        const reached = reachedBy(chain, true);
        chain.append();
        chain.append();
        const path = isMoved ? `${file()}.1` : file();
        writeFileSync(path, chain.text());
        expect(await openError({ reached }))
          .to.include(path)
          .and.include('after record 4, the last one before a graceful shutdown: records 5 to 6 were added since then')
          .and.include(`${file()}.usage`);
        expect(readFileSync(path, 'utf8')).to.equal(chain.text());
        expect(bench().names()).to.deep.equal([basename(path)]);
        // The remedy in the message.
        await appendOne({ reached: null });
        verifyChain(bench().folder);
        for (const name of bench().names()) rmSync(join(bench().folder, name));
      }
    });

    it('rejects an incomplete line added after a graceful shutdown, and leaves the file unchanged', async () => {
      for (const isMoved of [false, true]) {
        const chain = createChain(3, { key: bench().key });
        chain.sign();
        const path = isMoved ? `${file()}.1` : file();
        const text = `${chain.text()}{"v":2,"seq":5,"time":`;
        writeFileSync(path, text);
        expect(await openError({ reached: reachedBy(chain, true) }))
          .to.include(path)
          .and.include(
            'after record 4, the last one before a graceful shutdown: an incomplete line was added since then',
          );
        expect(readFileSync(path, 'utf8')).to.equal(text);
        expect(bench().names()).to.deep.equal([basename(path)]);
        await appendOne({ reached: reachedBy(chain, false) });
        expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal('{"v":2,"seq":5,"time":');
        for (const name of bench().names()) rmSync(join(bench().folder, name));
      }
    });

    const forged = (chain: AuditChain) => {
      chain.append(sampleAuditEntry({ correlationId: 'forged' }));
      return chain.text().trimEnd().split('\n').at(-1) ?? '';
    };
    const additions: readonly (readonly [what: string, add: (chain: AuditChain, last: string) => string])[] = [
      ['its last signed record once more', (_chain, last) => last],
      ['a forged record and its last signed one', (chain, last) => `${forged(chain)}\n${last}`],
      ['lines that are no records and its last signed record', (_chain, last) => `garbage\n\n${last}`],
    ];
    for (const [what, add] of additions) {
      it(`rejects a file to which another program added ${what}, and leaves it unchanged`, async () => {
        for (const [isMoved, closed, isSizeKnown] of [
          [false, true, true],
          [false, false, true],
          [false, true, false],
          [true, true, true],
          [true, false, false],
        ]) {
          const chain = createChain(3, { key: bench().key });
          chain.sign();
          const whole = chain.text();
          const reached = { ...reachedBy(chain, closed === true), ...(isSizeKnown && { size: whole.length }) };
          const text = `${whole}${add(chain, whole.trimEnd().split('\n').at(-1) ?? '')}\n`;
          const path = isMoved ? `${file()}.1` : file();
          writeFileSync(path, text);
          expect(await openError({ reached }))
            .to.include(path)
            .and.include('another program altered, added, repeated or removed lines');
          expect(readFileSync(path, 'utf8')).to.equal(text);
          rmSync(path);
        }
      });
    }

    it('rejects a file with removed records, and leaves it unchanged', async () => {
      for (const isMoved of [false, true]) {
        for (const closed of [true, false]) {
          for (const [from, removed] of [
            [1, 1],
            [2, 1],
            [1, 3],
          ] as const) {
            const chain = createChain(4, { key: bench().key });
            chain.sign();
            const reached = { ...reachedBy(chain, closed), size: chain.text().length };
            const text = chain.lines.toSpliced(from, removed).join('\n').concat('\n');
            const path = isMoved ? `${file()}.1` : file();
            writeFileSync(path, text);
            expect(await openError({ reached }), `${removed} from ${from}, closed: ${closed}`)
              .to.include(path)
              .and.include('another program altered, added, repeated or removed lines');
            expect(readFileSync(path, 'utf8')).to.equal(text);
            rmSync(path);
          }
        }
      }
    });

    it('rejects a file shortened and refilled with forged records, like a shortened one', async () => {
      for (const closed of [true, false]) {
        const chain = createChain(3, { key: bench().key });
        chain.sign();
        const forged = createChain(3, { key: bench().key });
        forged.sign();
        expect(forged.head).to.deep.equal(chain.head);
        for (let count = 0; count < 8; count += 1) forged.append(sampleAuditEntry({ correlationId: 'forged' }));
        for (let count = 0; count < 3; count += 1) chain.append();
        chain.sign();
        const text = forged.text();
        writeFileSync(file(), text);
        const message = await openError({ reached: reachedBy(chain, closed) });
        expect(message)
          .to.include(`end with record 4, but record ${chain.head.seq} was written: records are missing`)
          .and.include('restore the missing file')
          .and.not.include('added since');
        expect(readFileSync(file(), 'utf8')).to.equal(text);
        expect(bench().names()).to.deep.equal(['audit.jsonl']);
      }
    });

    it('rejects a file with records replaced under another key', async () => {
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      const before = chain.head;
      const [first = ''] = chain.write(file());
      renameSync(first, `${file()}.1`);
      for (let count = 0; count < 3; count += 1) chain.append();
      chain.sign();
      const forged = new AuditChain({ head: before, key: bench().key, time: '2026-11-20T08:49:00.000Z' });
      forged.beginSegment('key', createAuditKey());
      for (let count = 0; count < 8; count += 1) forged.append();
      forged.sign();
      forged.write(file());
      expect(await openError({ reached: reachedBy(chain, true) })).to.include(
        `Record ${chain.head.seq} of the audit file ${file()} differs from the one that was written`,
      );
    });

    it('rejects a file whose signatures were removed after a graceful shutdown', async () => {
      const chain = createChain(3, { key: bench().key });
      const text = withoutSignature(createChain(0, { key: bench().key }).text());
      chain.sign();
      writeFileSync(file(), text);
      expect(await openError({ reached: reachedBy(chain, true) })).to.include(
        'have no records, but record 4 was written',
      );
      expect(readFileSync(file(), 'utf8')).to.equal(text);
    });

    it('continues as the error for a shortened file advises, and records the gap', async () => {
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      writeFileSync(file(), chain.text());
      chain.append();
      chain.sign();
      const reached = reachedBy(chain, true);
      expect(await openError({ reached }))
        .to.include('move')
        .and.include(`leave ${file()}.usage in place`)
        .and.include(`move ${file()} and its rotated files together to another folder`)
        .and.include(`after record ${reached.seq}, with reason \`missing\``);
      rmSync(file());
      await appendOne({ reached });
      const first = JSON.parse(readFileSync(file(), 'utf8').split('\n')[0] ?? '');
      expect(first).to.deep.include({ seq: reached.seq + 1, prevHash: reached.hash });
      expect(first.data.reason).to.equal('missing');
    });

    it('explains after a crash what is lost if a new chain replaces a shortened one', async () => {
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      writeFileSync(file(), chain.text());
      chain.append();
      chain.sign();
      expect(await openError({ reached: reachedBy(chain, false) }))
        .to.include(`its rotated files and ${file()}.usage together to another folder`)
        .and.include('A new chain then begins with record 1')
        .and.include('stay lost');
    });

    it('rejects records signed by another key after a graceful shutdown', async () => {
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      const reached = reachedBy(chain, true);
      chain.beginSegment('key', createAuditKey());
      chain.sign();
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
      chain.sign();
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

    it('rejects and releases its locks when the key changes and no new file can be created', async () => {
      await appendOne();
      const before = readFileSync(file(), 'utf8');
      bench().calls.rename = () => Promise.reject(systemError('EACCES', 'permission denied, rename'));
      const writer = { key: createAuditKey(), instanceId: 'instance-2', clock: bench().clock };
      expect(await openError({ writer }))
        .to.include('EACCES')
        .and.include('SIGNING_AUDIT_FILE');
      expect(readFileSync(file(), 'utf8')).to.equal(before);
      await appendOne();
      bench().verifyExactly();
    });

    it('names the remedy, but no running service, when the key changes and the disk is full', async () => {
      await appendOne();
      bench().calls.write = () => Promise.reject(systemError('ENOSPC', 'no space left on device, write'));
      const writer = { key: createAuditKey(), instanceId: 'instance-2', clock: bench().clock };
      expect(await openError({ writer })).to.equal(
        `The audit file ${file()} cannot be opened (ENOSPC: no space left on device, write). ` +
          'Free space on its disk, or set SIGNING_AUDIT_FILE to another path.',
      );
    });

    it('accepts the known record and later ones', async () => {
      const chain = createChain(3, { key: bench().key });
      chain.sign();
      const reached = reachedBy(chain, false);
      chain.append();
      chain.sign();
      chain.write(file());
      await appendOne({ reached });
      bench().verify();
    });

    it('rejects a shortened file', async () => {
      const chain = createChain(3);
      chain.sign();
      const text = chain.text();
      chain.append();
      chain.sign();
      for (const closed of [true, false]) {
        writeFileSync(file(), text);
        const message = await openError({ reached: reachedBy(chain, closed) });
        expect(message).to.include('end with record 4').and.include('record 5 was written').and.include(file());
        expect(readFileSync(file(), 'utf8')).to.equal(text);
      }
    });

    const whole = createChain(5);
    const lines = whole.lines;
    const damages: { readonly [what: string]: string } = {
      'a record was altered': whole.text().replace('before-3', 'before-9'),
      'a record was taken out': [...lines.slice(0, 3), ...lines.slice(4)].map((line) => `${line}\n`).join(''),
      'records were swapped': [...lines.slice(0, 4), lines[5], lines[4]].map((line) => `${line}\n`).join(''),
      'a record occurs twice': `${whole.text()}${lines.at(-1)}\n`,
      'a line is no record': `${whole.text()}notes\n`,
      'a line is empty': `${whole.text()}\n`,
      'a record of another chain was added': `${whole.text()}${createChain(9).lines[6]}\n`,
    };
    for (const [what, text] of Object.entries(damages)) {
      it(`rejects, naming the command to run, and leaves the file unchanged, when ${what}`, async () => {
        writeFileSync(file(), text);
        const message = await openError();
        expect(message).to.include(`signing-service audit verify ${file()}`).and.include('line at byte');
        expect(readFileSync(file(), 'utf8')).to.equal(text);
        expect(bench().names()).to.deep.equal(['audit.jsonl']);
      });
    }

    it('rejects a signature of another key', async () => {
      const chain = createChain(3);
      const forged = new AuditChain({ head: chain.head, key: createAuditKey() });
      forged.append();
      chain.sign();
      const text = chain.text();
      const other = createChain(3, { key: createAuditKey() });
      other.sign();
      const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(other.text()) ?? [];
      writeFileSync(file(), text.replace(/[^"]*(?="\}\n$)/, sig));
      expect(await openError()).to.include('signing-service audit verify');
    });
  });

  describe('rejects, naming the file, the setting and the remedy,', () => {
    const record = createChain(0).text();

    it('a symbolic link, and leaves its target unchanged', async () => {
      const target = join(folder(), 'target');
      writeFileSync(target, record);
      symlinkSync(target, file());
      const message = await openError();
      expect(message).to.include(`The audit file ${file()} cannot be opened (ELOOP`);
      expect(message).to.include('symbolic link').and.to.include('set SIGNING_AUDIT_FILE');
      expect(readFileSync(target, 'utf8')).to.equal(record);
    });

    it('a folder', async () => {
      mkdirSync(file());
      expect(await openError())
        .to.include(file())
        .and.to.include('It is a folder')
        .and.to.include('SIGNING_AUDIT_FILE');
    });

    it('a path through a file', async () => {
      writeFileSync(file(), record);
      for (const path of [join(file(), 'audit.jsonl'), join(file(), 'deeper', 'audit.jsonl')]) {
        const message = await openError({ file: path });
        expect(message).to.include(path).and.to.include('is a file, not a folder').and.to.include('SIGNING_AUDIT_FILE');
      }
    });

    it('a pipe, without blocking on it', async () => {
      execFileSync('mkfifo', [file()]);
      expect(await openError())
        .to.include(`${file()} is not an audit file`)
        .and.to.include('SIGNING_AUDIT_FILE');
      expect(statSync(file()).isFIFO()).to.equal(true);
    });

    it('a folder without write permission', async () => {
      bench().calls.open = () => Promise.reject(systemError('EACCES', `permission denied, open '${file()}'`));
      expect(await openError()).to.equal(
        `The audit file ${file()} cannot be opened (EACCES: permission denied, open '${file()}'). ` +
          'Give the service user write access to it and its folder, or set SIGNING_AUDIT_FILE to another path.',
      );
    });

    it('a full disk', async () => {
      bench().calls.write = () => Promise.reject(systemError('ENOSPC', 'no space left on device, write'));
      expect(await openError()).to.include('Free space on its disk');
      expect(bench().names()).to.deep.equal([]);
    });

    it('a file whose last line is not a truncated record, and leaves it unchanged', async () => {
      for (const content of ['{\n  "version": 1\n}', '{"version":3,"crypto":{}}', 'notes', `${record}SECRET=1`]) {
        writeFileSync(file(), content);
        const message = await openError();
        expect(message).to.include(`${file()} is not an audit file`).and.to.include('SIGNING_AUDIT_FILE');
        expect(message).to.not.include('SECRET=1');
        expect(readFileSync(file(), 'utf8')).to.equal(content);
      }
    });

    for (const [name, content] of [
      ['a text', 'my precious notes\n'],
      ['a JSON document', '{\n  "version": 1\n}\n'],
      ['JSON lines of something else', '{"level":"info"}\n'],
      ['one long line', `${'x'.repeat(100_000)}\n`],
      ['an endless line', 'x'.repeat(100_000)],
      ['an empty line before records', `\n${record}`],
      ['records without their beginning', `${createChain(3).lines.slice(1).join('\n')}\n`],
    ] as const) {
      it(`${name}, and leaves it unchanged`, async () => {
        writeFileSync(file(), content);
        expect(await openError())
          .to.include(file())
          .and.include('is not an audit file')
          .and.include('SIGNING_AUDIT_FILE');
        expect(readFileSync(file(), 'utf8')).to.equal(content);
        expect(bench().names()).to.deep.equal(['audit.jsonl']);
      });
    }
  });

  describe('a file of another service', () => {
    async function expectRefused(findReached: AuditSinkOptions['findReached'] = async () => null): Promise<void> {
      const second = new SinkBench(bench().folder);
      const message = await second.open({ findReached }).then(
        () => expect.fail('should have rejected'),
        (error: unknown) => {
          expect(error).to.be.instanceOf(AuditUnavailableError);
          return (error as Error).message;
        },
      );
      expect(message).to.include(file()).and.include('Another running service').and.include('SIGNING_AUDIT_FILE');
    }

    it('rejects it while the other runs, truncated or not, and opens it afterwards', async () => {
      await bench().open();
      await bench().append();
      appendFileSync(file(), '{"v":2,"seq":');
      const before = readFileSync(file(), 'utf8');
      await expectRefused();
      expect(readFileSync(file(), 'utf8')).to.equal(before);
      await bench().close();
      await bench().open();
      await bench().append();
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

    it('opens it once the other has stopped, even if its end could not be stored', async () => {
      const sink = await bench().open({ onClosed: () => Promise.reject(new Error('no room')) });
      expect(await sink.close().catch((error: Error) => error.message)).to.equal('no room');
      await bench().open();
    });

    it('rejects it before looking up the end', async () => {
      const looks: string[] = [];
      const findReached = async () => {
        await expectRefused(async () => {
          looks.push('second');
          return null;
        });
        looks.push('first');
        return null;
      };
      await bench().open({ findReached });
      expect(looks).to.deep.equal(['first']);
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

  it('leaves no descriptor open after a failure', async () => {
    const opened = new Set<number>();
    const watched: Partial<FileOperations> = {
      open: async (path, flags, mode) => {
        const fd = await nodeFileOperations.open(path, flags, mode);
        opened.add(fd);
        return fd;
      },
      close: async (fd) => {
        await nodeFileOperations.close(fd);
        opened.delete(fd);
      },
    };
    Object.assign(bench().calls, watched);
    const chain = createChain(3);
    for (const content of ['notes\n', `${chain.text()}notes\n`, `${chain.text()}{"v":2,"seq":1`]) {
      writeFileSync(file(), content);
      bench().calls.ftruncate = () => Promise.reject(systemError('EIO', 'i/o error'));
      await openError({ reached: { ...chain.head, seq: 99, closed: false } });
      expect([...opened]).to.deep.equal([]);
    }
    copyFileSync(file(), `${file()}.1`);
    rmSync(file());
    await openError({ reached: { ...chain.head, seq: 99, closed: false } });
    expect([...opened]).to.deep.equal([]);
  });
});
