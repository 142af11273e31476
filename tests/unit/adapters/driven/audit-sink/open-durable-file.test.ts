import {
  appendFileSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { auditRecord } from '../../../../../src/adapters/driven/audit-sink/audit-record.ts';
import {
  type FileOperations,
  nodeFileOperations,
} from '../../../../../src/adapters/driven/audit-sink/file-operations.ts';
import { WinstonAuditSink } from '../../../../../src/adapters/driven/audit-sink/winston-audit-sink.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { systemError } from './system-error.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const LINE = `${auditRecord(sampleAuditEntry())}\n`;

describe('Opening the audit file', () => {
  const folder = useTemporaryFolder();
  const file = () => join(folder(), 'audit.jsonl');
  const torn = () => `${file()}.torn`;
  let log: RecordingServiceLog;

  beforeEach(() => {
    log = new RecordingServiceLog();
  });

  async function appendOne(path = file(), operations: FileOperations = nodeFileOperations): Promise<void> {
    const sink = await WinstonAuditSink.open({ file: path, log, operations });
    await sink.append(sampleAuditEntry());
    await sink.close();
  }

  async function openFault(path = file(), operations: Partial<FileOperations> = {}): Promise<string> {
    return WinstonAuditSink.open({ file: path, log, operations: { ...nodeFileOperations, ...operations } }).then(
      () => expect.fail('should have rejected'),
      (error: unknown) => {
        expect(error).to.be.instanceOf(AuditUnavailableError);
        return (error as Error).message;
      },
    );
  }

  it('makes the file readable and writable by its owner only', async () => {
    await appendOne();
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file(), 'utf8')).to.equal(LINE);
  });

  it('makes missing folders for the owner only', async () => {
    const deep = join(folder(), 'var', 'audit', 'audit.jsonl');
    await appendOne(deep);
    expect(statSync(join(folder(), 'var')).mode & 0o777).to.equal(0o700);
    expect(statSync(dirname(deep)).mode & 0o777).to.equal(0o700);
  });

  it('keeps what the file holds and the mode that the operator gave it', async () => {
    await appendOne();
    chmodSync(file(), 0o640);
    await appendOne();
    expect(readFileSync(file(), 'utf8')).to.equal(LINE + LINE);
    expect(statSync(file()).mode & 0o777).to.equal(0o640);
    expect(log.events).to.deep.equal([]);
  });

  it('syncs the folder of a new file, and the folder above each new folder', async () => {
    const folders = new Map<number, string>();
    const synced: string[] = [];
    await appendOne(join(folder(), 'a', 'b', 'audit.jsonl'), {
      ...nodeFileOperations,
      open: async (path, flags, mode) => {
        const fd = await nodeFileOperations.open(path, flags, mode);
        if ((flags & constants.O_DIRECTORY) !== 0) folders.set(fd, path);
        return fd;
      },
      fsync: async (fd) => {
        await nodeFileOperations.fsync(fd);
        synced.push(folders.get(fd) ?? 'a file');
      },
    });
    expect(synced).to.deep.equal([join(folder(), 'a'), folder(), join(folder(), 'a', 'b')]);
  });

  describe('refuses, naming the file, the setting and what to do,', () => {
    it('a symbolic link, and leaves what it points to alone', async () => {
      const target = join(folder(), 'target.jsonl');
      writeFileSync(target, LINE);
      symlinkSync(target, file());
      const message = await openFault();
      expect(message).to.include(`The audit file ${file()} can not be opened (ELOOP`);
      expect(message).to.include('symbolic link').and.to.include('set SIGNING_AUDIT_FILE');
      expect(readFileSync(target, 'utf8')).to.equal(LINE);
    });

    it('a folder', async () => {
      mkdirSync(file());
      expect(await openFault())
        .to.include(file())
        .and.to.include('It is a folder')
        .and.to.include('SIGNING_AUDIT_FILE');
    });

    it('a path through a file', async () => {
      writeFileSync(file(), LINE);
      for (const path of [join(file(), 'audit.jsonl'), join(file(), 'deeper', 'audit.jsonl')]) {
        const message = await openFault(path);
        expect(message).to.include(path).and.to.include('is a file, not a folder').and.to.include('SIGNING_AUDIT_FILE');
      }
    });

    it('a device', async () => {
      expect(await openFault('/dev/null'))
        .to.include('/dev/null is not an audit file')
        .and.to.include('SIGNING_AUDIT_FILE');
    });

    it('a folder that it may not write', async () => {
      const message = await openFault(file(), {
        open: () => Promise.reject(systemError('EACCES', `permission denied, open '${file()}'`)),
      });
      expect(message).to.equal(
        `The audit file ${file()} can not be opened (EACCES: permission denied, open '${file()}'). ` +
          'Give the user that runs the service the right to write it and its folder, or set SIGNING_AUDIT_FILE to another path.',
      );
    });

    it('a read-only file system', async () => {
      const message = await openFault(join(folder(), 'new', 'audit.jsonl'), {
        mkdir: () => Promise.reject(systemError('EROFS', 'read-only file system, mkdir')),
      });
      expect(message).to.include('Mount a writable volume').and.to.include('SIGNING_AUDIT_FILE');
    });

    it('a file whose last line is no torn record, and leaves it alone', async () => {
      for (const content of ['{\n  "version": 1\n}', '{"version":3,"crypto":{}}', 'notes', `${LINE}SECRET=1`]) {
        writeFileSync(file(), content);
        const message = await openFault();
        expect(message).to.include(`${file()} is not an audit file`).and.to.include('SIGNING_AUDIT_FILE');
        expect(readFileSync(file(), 'utf8')).to.equal(content);
      }
    });

    for (const [name, content] of [
      ['a text', 'my precious notes\n'],
      ['a JSON document', '{\n  "version": 1\n}\n'],
      ['JSON lines of something else', '{"level":"info"}\n'],
      ['one long line', `${'x'.repeat(100_000)}\n`],
      ['an empty line before records', `\n${LINE}`],
    ] as const) {
      it(`${name}, and leaves it alone`, async () => {
        writeFileSync(file(), content);
        expect(await openFault())
          .to.include(file())
          .and.include('is not an audit file')
          .and.include('SIGNING_AUDIT_FILE');
        expect(readFileSync(file(), 'utf8')).to.equal(content);
      });
    }

    it('a file that another service writes, torn or not, and leaves it alone', async () => {
      const first = await WinstonAuditSink.open({ file: file(), log });
      await first.append(sampleAuditEntry());
      appendFileSync(file(), LINE.slice(0, 20));
      expect(await openFault())
        .to.include(file())
        .and.include('Another running service')
        .and.include('SIGNING_AUDIT_FILE');
      expect(readFileSync(file(), 'utf8')).to.equal(LINE + LINE.slice(0, 20));
      await first.close();
      await appendOne();
      expect(readFileSync(file(), 'utf8')).to.equal(LINE + LINE);
    });
  });

  it('leaves no descriptor open when it fails', async () => {
    const opened = new Set<number>();
    await openFault('/dev/null', {
      open: async (path, flags, mode) => {
        const fd = await nodeFileOperations.open(path, flags, mode);
        opened.add(fd);
        return fd;
      },
      close: async (fd) => {
        await nodeFileOperations.close(fd);
        opened.delete(fd);
      },
    });
    expect([...opened]).to.deep.equal([]);
  });

  describe('a torn last line', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['behind whole records', LINE + LINE, LINE.slice(0, 100)],
      ['alone in the file', '', LINE.slice(0, -1)],
      ['of a single byte', LINE, '{'],
      ['longer than one read', LINE, `{"time":"${'x'.repeat(200_000)}`],
      ['behind more than one read of whole records', LINE.repeat(500), LINE.slice(0, 50)],
      ['that a power cut left as zeros', LINE, '\0'.repeat(4096)],
    ];
    for (const [name, whole, tail] of cases) {
      it(`${name} is moved aside and reported`, async () => {
        writeFileSync(file(), whole + tail);
        await appendOne();
        expect(readFileSync(file(), 'utf8')).to.equal(whole + LINE);
        expect(readFileSync(torn(), 'utf8')).to.equal(tail);
        expect(statSync(torn()).mode & 0o777).to.equal(0o600);
        expect(log.events.map(({ level, facts }) => ({ level, facts }))).to.deep.equal([
          { level: 'warn', facts: { file: file(), movedTo: torn(), bytes: tail.length } },
        ]);
      });
    }

    it('is added to those moved aside before', async () => {
      writeFileSync(file(), `${LINE}{"time":"first`);
      await appendOne();
      writeFileSync(file(), `${LINE}{"time":"second`);
      await appendOne();
      expect(readFileSync(torn(), 'utf8')).to.equal('{"time":"first{"time":"second');
    });

    it('is cut off only once it is durable elsewhere, its name included', async () => {
      writeFileSync(file(), `${LINE}{"time":"torn`);
      const steps: string[] = [];
      const names = new Map<number, string>();
      const nameOf = (fd: number) => names.get(fd) ?? 'unknown';
      await appendOne(file(), {
        ...nodeFileOperations,
        open: async (path, flags, mode) => {
          const fd = await nodeFileOperations.open(path, flags, mode);
          names.set(fd, path);
          return fd;
        },
        write: (fd, bytes, offset) => {
          steps.push(`write ${nameOf(fd)}`);
          return nodeFileOperations.write(fd, bytes, offset);
        },
        fsync: async (fd) => {
          await nodeFileOperations.fsync(fd);
          steps.push(`synced ${nameOf(fd)}`);
        },
        ftruncate: (fd, size) => {
          steps.push(`cut ${nameOf(fd)}`);
          return nodeFileOperations.ftruncate(fd, size);
        },
      });
      expect(steps.slice(1, 5)).to.deep.equal([
        `write ${torn()}`,
        `synced ${torn()}`,
        `synced ${folder()}`,
        `cut ${file()}`,
      ]);
    });

    it('stays where it is when it can not be moved aside', async () => {
      writeFileSync(file(), `${LINE}{"time":"torn`);
      const message = await openFault(file(), {
        write: () => Promise.reject(systemError('ENOSPC', 'no space left on device, write')),
      });
      expect(message).to.include('Make room');
      expect(readFileSync(file(), 'utf8')).to.equal(`${LINE}{"time":"torn`);
    });

    it('is not moved through a symbolic link', async () => {
      writeFileSync(file(), `${LINE}{"time":"torn`);
      symlinkSync(join(folder(), 'elsewhere'), torn());
      await openFault();
      expect(readFileSync(file(), 'utf8')).to.equal(`${LINE}{"time":"torn`);
    });
  });
});
