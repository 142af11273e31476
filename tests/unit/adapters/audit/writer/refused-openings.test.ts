import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ReachedRecord } from '../../../../../src/adapters/audit/writer/open-chain.ts';
import { type AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import {
  appendSigned,
  type BenchOptions,
  createGate,
  DISK_BROKEN,
  DISK_FULL,
  SinkBench,
  signedChain,
  useSinkBench,
} from '../sink-bench.ts';

/** The last of so many records, as the service noted it. */
function noted(records: number, closed: boolean): ReachedRecord {
  return { ...signedChain(records).head, closed };
}

/** Does something to the segment of a chain of four records. */
type Given = (chain: AuditChain, segment: string) => unknown;

/** Starts that are refused. */
type Starts = { readonly [what: string]: Given };

const DIFFERS = 'of the audit file {file} differs from the one that was written';

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

const removeText = (path: string, removed: string) => rewrite(path, (text) => text.replace(removed, ''));
const alterNearEnd = (path: string) => rewrite(path, (text) => text.replace('before-3', 'before-9'));
const addTornLine = (path: string) => appendFileSync(path, '{"v":2,"seq":5,"time":');
const makePipe = (path: string) => execFileSync('mkfifo', [path]);

// tests/e2e/start-and-stop.test.ts covers records and lines that were added after a graceful stop.
describe('Opening the audit file is refused, and changes no file,', () => {
  const bench = useSinkBench();
  const file = () => bench().file;
  const first = () => bench().segment(1);
  const next = () => bench().segment(5);

  /** The message; the folder stays as it is, and no file stays open. */
  async function refusal(options: BenchOptions = {}): Promise<string> {
    const countDescriptors = () => readdirSync('/proc/self/fd').length;
    const [before, descriptors] = [bench().contents(), countDescriptors()];
    const message = await bench().openError(options);
    expect(bench().contents()).to.deep.equal(before);
    expect(countDescriptors()).to.equal(descriptors);
    return message;
  }

  async function appendOne(): Promise<void> {
    await bench().open();
    expect(await bench().append()).to.deep.equal([]);
    await bench().close();
  }

  function clear(): void {
    for (const name of bench().names()) rmSync(join(bench().folder, name));
  }

  /** @param says parts of the message; names of paths are in braces */
  function each(reached: ReachedRecord | null, says: readonly string[], starts: Starts, remedy?: () => Promise<void>) {
    for (const [what, given] of Object.entries(starts)) {
      it(what, async () => {
        const chain = signedChain(4);
        chain.write(file());
        given(chain, first());
        const message = await refusal({ reached });
        const paths: Record<string, string> = { first: first(), next: next(), file: file(), folder: bench().folder };
        for (const text of says)
          expect(message).to.include(text.replaceAll(/\{(\w+)\}/g, (_, name: string) => paths[name] ?? name));
        expect(message).to.not.include('SECRET');
        // As the message advises.
        await remedy?.();
      });
    }
  }

  describe('after a graceful shutdown, if', () => {
    const reached = noted(4, true);
    const remedy = async () => {
      await appendOne();
      verifyChain(bench().folder);
    };
    each(
      reached,
      [
        'continues after record 4, the last one before a graceful shutdown: an incomplete line was added',
        '{file}.usage',
      ],
      { 'an incomplete line was added': (_, path) => addTornLine(path) },
      remedy,
    );
    each(reached, ['{next} continues after record 4', 'signed by an audit key other than'], {
      'records by another key were added': (chain) => {
        chain.beginSegment('key', createAuditKey());
        chain.write(file());
      },
    });
    each(reached, ['have no records, but record 4 was written'], {
      'unsigned records are all that is left': (_, path) =>
        rewrite(path, (text) => `${text.split('\n')[0]?.replace(/,"sig":"[^"]*"/, '')}\n`),
    });
  });

  describe('for records that are known to be written, if they', () => {
    const nothing = () => undefined;
    each(
      noted(5, false),
      [
        'end with record 4, but record 5 was written',
        'all audit files and {file}.usage together to another folder',
        'A new chain then begins with record 1',
      ],
      { 'are missing after a crash': nothing },
    );
    each(
      noted(5, true),
      [
        'end with record 4, but record 5 was written',
        'leave {file}.usage in place',
        'begins after the known record, with reason `missing`',
      ],
      { 'are missing after a graceful shutdown': nothing },
    );
    each(noted(4, false), ['The files of the audit file {file} have no records, but record 4 was'], {
      'are all missing after a crash': clear,
    });
    each({ seq: 4, hash: `sha256:${'00'.repeat(32)}`, closed: true }, [`Record 4 ${DIFFERS}`], {
      'were replaced': nothing,
    });
    each(noted(6, true), [`Record 6 ${DIFFERS}`], {
      'were replaced under another key': (chain) => {
        chain.beginSegment('key', createAuditKey());
        appendSigned(chain, 8);
        chain.write(file());
      },
    });
  });

  describe('for the newest segment, if', () => {
    each(null, ['another program altered, added, repeated or removed lines'], {
      'it lacks a record': (chain, path) => removeText(path, `${chain.lines[1]}\n`),
    });
    each(null, ['signing-service audit verify {folder}', 'line at byte'], {
      'it was altered near its end': (_, path) => alterNearEnd(path),
      'it has a line that is no record': (_, path) => appendFileSync(path, 'notes\n'),
      'it has a record of another chain': (_, path) =>
        appendFileSync(path, `${signedChain(4, createAuditKey()).lines[1]}\n`),
      'it has the signature of another key': (_, path) => {
        const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(signedChain(4, createAuditKey()).text()) ?? [];
        rewrite(path, (text) => text.replace(/[^"]*(?="\}\n$)/, sig));
      },
    });
    each(null, ['{first} is not an audit file', 'Move it to another folder'], {
      "another program's text has its name": (_, path) => writeFileSync(path, 'my SECRET notes\n'),
      'another text follows': (_, path) => appendFileSync(path, 'SECRET=1'),
      'it does not begin with a segment record': (chain, path) => removeText(path, `${chain.lines[0]}\n`),
      'a pipe has its name': (_, path) => [rmSync(file()), rmSync(path), makePipe(path)],
    });
    each(null, ['{next} is not an audit file: it begins with record 1'], {
      'its name has the number of another record': (_, path) => renameSync(path, next()),
    });
    each(null, ['Run `gunzip {first}.gz`, then start again'], {
      'it is compressed': (_, path) => {
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
        for (const name of [path, file()]) rmSync(name);
      },
    });
    each(null, ['{first}', 'symbolic link', 'set SIGNING_AUDIT_FILE'], {
      'it is a symbolic link': (_, path) => {
        renameSync(path, `${path}.moved`);
        rmSync(file());
        symlinkSync(`${path}.moved`, path);
      },
    });
    each(null, ['was not moved, because {file}.torn cannot be opened', 'Move {file}.torn to another folder'], {
      'its unsigned end cannot be moved': (_, path) => [addTornLine(path), makePipe(`${file()}.torn`)],
    });
    each(null, ['Free space'], {
      'its unsigned end cannot be written': (_, path) => {
        addTornLine(path);
        writeFileSync(`${file()}.torn`, '');
        bench().fail(DISK_FULL, 'write');
      },
    });
    each(null, ['{file}', 'Check the disk'], {
      'what a killed process left in the page cache cannot be synced': () => bench().fail(DISK_BROKEN, 'datasync'),
    });
  });

  describe('for the segment before the newest, if', () => {
    const afterNext = (change: (path: string) => void): Given => {
      return (chain, path) => [chain.beginSegment('size'), chain.write(file()), change(path)];
    };
    each(null, ['{next} does not follow {first}, whose last record is', 'signing-service audit verify {folder}'], {
      'it is one of another chain': afterNext((path) => writeFileSync(path, signedChain(4, createAuditKey()).text())),
      'it has records with the numbers of the newest': afterNext((path) => writeFileSync(path, signedChain(7).text())),
      'it was altered near its end': afterNext(alterNearEnd),
    });
  });

  describe("if a file that is no segment has the audit file's name:", () => {
    const says = ['{file} (SIGNING_AUDIT_FILE) is not a link to an audit file', '`mv {file} {file}.old`'];
    const remedy = async () => {
      renameSync(file(), `${file()}.old`);
      await appendOne();
      expect(lstatSync(file()).ino).to.equal(lstatSync(first()).ino);
    };
    const replaced = (make: (path: string) => void) => () => [rmSync(file()), make(file())];
    each(
      null,
      says,
      {
        'an older layout': (chain) => [clear(), writeFileSync(file(), chain.text())],
        'a restored copy': replaced((path) => copyFileSync(first(), path)),
        'an empty file': replaced((path) => writeFileSync(path, '')),
        'a symbolic link to a segment': replaced((path) => symlinkSync(first(), path)),
      },
      remedy,
    );
    each(
      null,
      [...says, '`mv {file} {first}`'],
      { 'all that is left of a removed segment': (_, path) => rmSync(path) },
      remedy,
    );
  });

  it('for the name of a segment', async () => {
    await appendOne();
    expect(await bench().openError({ file: first() }))
      .to.include(`${first()} (SIGNING_AUDIT_FILE) is not a link`)
      .and.include(`one of the files of ${file()}, set SIGNING_AUDIT_FILE to that path`);
  });

  it('for a path through a file', async () => {
    const path = join(bench().folder, 'notes');
    writeFileSync(path, 'my precious notes\n');
    for (const through of [join(path, 'audit.jsonl'), join(path, 'deeper', 'audit.jsonl')]) {
      const message = await refusal({ file: through });
      for (const part of [through, 'is a file, not a folder', 'SIGNING_AUDIT_FILE']) expect(message).to.include(part);
    }
  });

  describe('while another service has it', () => {
    async function expectRefused(path = file()): Promise<void> {
      const message = await new SinkBench(bench().folder).openError();
      for (const part of [path, 'Another running service', 'SIGNING_AUDIT_FILE']) expect(message).to.include(part);
    }

    it('with another segment, an incomplete end, or no segment', async () => {
      await bench().open();
      await bench().append();
      await bench().sink.reopen();
      await expectRefused();
      appendFileSync(bench().segment(3), '{"v":2,"seq":');
      const before = bench().contents();
      await expectRefused();
      expect(bench().contents()).to.deep.equal(before);
      rmSync(bench().segment(3));
      await expectRefused();
    });

    it('until it has noted its end after closing the file', async () => {
      const [noting, noted] = [createGate(), createGate()];
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

    it('even if the lock file was deleted', async () => {
      await bench().open();
      await bench().append();
      rmSync(`${file()}.lock`);
      await expectRefused(first());
      expect(await bench().append()).to.deep.equal([]);
      bench().verifyExactly();
    });
  });
});
