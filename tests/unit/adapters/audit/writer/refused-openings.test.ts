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
/** Starts that are refused, and parts of the message. Names of paths are in braces. */
type Refusals = { readonly [what: string]: readonly [given: Given, says: readonly string[]] };

const AFTER_FOUR = 'The audit file {first} continues after record 4, the last one before a graceful shutdown';
const OTHER_LINES = ['another program altered, added, repeated or removed lines'];
const AT_LINE = ['signing-service audit verify {folder}', 'line at byte'];
const NO_AUDIT_FILE = ['{first} is not an audit file', 'Move it to another folder'];
const NOT_MOVED = ['was not moved, because {file}.torn cannot be opened', 'Move {file}.torn to another folder'];
const NOT_FOLLOWING = ['{next} does not follow {first}, whose last record is', 'signing-service audit verify {folder}'];
const NO_LINK = ['{file} (SIGNING_AUDIT_FILE) is not a link to an audit file', '`mv {file} {file}.old`'];

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

const removeText = (path: string, removed: string) => rewrite(path, (text) => text.replace(removed, ''));
const alterNearEnd = (path: string) => rewrite(path, (text) => text.replace('before-3', 'before-9'));
const addTornLine = (path: string) => appendFileSync(path, '{"v":2,"seq":5,"time":');
const makePipe = (path: string) => execFileSync('mkfifo', [path]);

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

  function each(reached: ReachedRecord | null, refusals: Refusals, afterwards?: () => Promise<void>): void {
    for (const [what, [given, says]] of Object.entries(refusals)) {
      it(what, async () => {
        const chain = signedChain(4);
        chain.write(file());
        given(chain, first());
        const message = await refusal({ reached });
        const paths: { [name: string]: string } = {
          first: first(),
          next: next(),
          file: file(),
          folder: bench().folder,
        };
        for (const text of says)
          expect(message).to.include(text.replaceAll(/\{(\w+)\}/g, (_, name: string) => paths[name] ?? name));
        expect(message).to.not.include('SECRET');
        await afterwards?.();
      });
    }
  }

  describe('after a graceful shutdown, if', () => {
    each(
      noted(4, true),
      {
        'records were added without a signature': [
          (chain) => [chain.append(), chain.append(), chain.write(file())],
          [`${AFTER_FOUR}: records 5 to 6 were added since then`, '{file}.usage'],
        ],
        'an incomplete line was added': [
          (_, path) => addTornLine(path),
          [`${AFTER_FOUR}: an incomplete line was added`],
        ],
      },
      async () => {
        // As the message advises.
        await appendOne();
        verifyChain(bench().folder);
      },
    );
    each(noted(4, true), {
      'records by another key were added': [
        (chain) => [chain.beginSegment('key', createAuditKey()), chain.write(file())],
        ['{next} continues after record 4', 'signed by an audit key other than'],
      ],
      'unsigned records are all that is left': [
        (_, path) => rewrite(path, (text) => `${text.split('\n')[0]?.replace(/,"sig":"[^"]*"/, '')}\n`),
        ['have no records, but record 4 was written'],
      ],
      'its last signed record is repeated': [(chain, path) => appendFileSync(path, `${chain.lines[3]}\n`), OTHER_LINES],
    });
  });

  describe('for records that are known to be written, if they', () => {
    const nothing = () => undefined;
    each(noted(5, false), {
      'are missing after a crash': [
        nothing,
        [
          'end with record 4, but record 5 was written',
          'all audit files and {file}.usage together to another folder',
          'A new chain then begins with record 1',
        ],
      ],
      'are all missing after a crash': [clear, ['The files of the audit file {file} have no records, but record 5']],
    });
    each(noted(5, true), {
      'are missing after a graceful shutdown': [
        nothing,
        [
          'end with record 4, but record 5 was written',
          'leave {file}.usage in place',
          'begins after the known record, with reason `missing`',
        ],
      ],
    });
    each(
      { ...noted(4, true), hash: `sha256:${'00'.repeat(32)}` },
      { 'were replaced': [nothing, ['Record 4 of the audit file {file} differs from the one that was written']] },
    );
    each(noted(6, true), {
      'were replaced under another key': [
        (chain) => [chain.beginSegment('key', createAuditKey()), appendSigned(chain, 8), chain.write(file())],
        ['Record 6 of the audit file {file} differs from the one that was written'],
      ],
    });
  });

  describe('for the newest segment, if', () => {
    each(null, {
      'its last signed record is repeated after other lines': [
        (chain, path) => appendFileSync(path, `garbage\n\n${chain.lines[3]}\n`),
        OTHER_LINES,
      ],
      'it lacks a record': [(chain, path) => removeText(path, `${chain.lines[1]}\n`), OTHER_LINES],
      'it was altered near its end': [(_, path) => alterNearEnd(path), AT_LINE],
      'it has a line that is no record': [(_, path) => appendFileSync(path, 'notes\n'), AT_LINE],
      'it has a record of another chain': [
        (_, path) => appendFileSync(path, `${signedChain(4, createAuditKey()).lines[1]}\n`),
        AT_LINE,
      ],
      'it has the signature of another key': [
        (_, path) => {
          const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(signedChain(4, createAuditKey()).text()) ?? [];
          rewrite(path, (text) => text.replace(/[^"]*(?="\}\n$)/, sig));
        },
        AT_LINE,
      ],
      'it is compressed': [
        (_, path) => [writeFileSync(`${path}.gz`, gzipSync(readFileSync(path))), rmSync(path), rmSync(file())],
        ['Run `gunzip {first}.gz`, then start again'],
      ],
      'its name has the number of another record': [
        (_, path) => renameSync(path, next()),
        ['{next} is not an audit file: it begins with record 1'],
      ],
      'it is a symbolic link': [
        (_, path) => [renameSync(path, `${path}.moved`), rmSync(file()), symlinkSync(`${path}.moved`, path)],
        ['{first}', 'symbolic link', 'set SIGNING_AUDIT_FILE'],
      ],
      "another program's text has its name": [(_, path) => writeFileSync(path, 'my SECRET notes\n'), NO_AUDIT_FILE],
      'another text follows': [(_, path) => appendFileSync(path, 'SECRET=1'), NO_AUDIT_FILE],
      'it does not begin with a segment record': [
        (chain, path) => removeText(path, `${chain.lines[0]}\n`),
        NO_AUDIT_FILE,
      ],
      'a pipe has its name': [(_, path) => [rmSync(file()), rmSync(path), makePipe(path)], NO_AUDIT_FILE],
      'its unsigned end cannot be moved': [(_, path) => [addTornLine(path), makePipe(`${file()}.torn`)], NOT_MOVED],
      'its unsigned end cannot be written': [
        (_, path) => [addTornLine(path), writeFileSync(`${file()}.torn`, ''), bench().fail(DISK_FULL, 'write')],
        ['Free space'],
      ],
      'what a killed process left in the page cache cannot be synced': [
        () => bench().fail(DISK_BROKEN, 'datasync'),
        ['{file}', 'Check the disk'],
      ],
    });
  });

  describe('for the segment before the newest, if', () => {
    const afterNext = (change: (path: string) => void): Given => {
      return (chain, path) => [chain.beginSegment('size'), chain.write(file()), change(path)];
    };
    each(null, {
      'it is one of another chain': [
        afterNext((path) => writeFileSync(path, signedChain(4, createAuditKey()).text())),
        NOT_FOLLOWING,
      ],
      'it has records with the numbers of the newest': [
        afterNext((path) => writeFileSync(path, signedChain(7).text())),
        NOT_FOLLOWING,
      ],
      'it was altered near its end': [afterNext(alterNearEnd), NOT_FOLLOWING],
    });
  });

  describe("if a file that is no segment has the audit file's name:", () => {
    const replaced = (make: (path: string) => void) => () => [rmSync(file()), make(file())];
    each(
      null,
      {
        'an older layout': [(chain) => [clear(), writeFileSync(file(), chain.text())], NO_LINK],
        'a restored copy': [replaced((path) => copyFileSync(first(), path)), NO_LINK],
        'an empty file': [replaced((path) => writeFileSync(path, '')), NO_LINK],
        'all that is left of a removed segment': [(_, path) => rmSync(path), [...NO_LINK, '`mv {file} {first}`']],
        'a symbolic link to a segment': [replaced((path) => symlinkSync(first(), path)), NO_LINK],
      },
      async () => {
        // As the message advises.
        renameSync(file(), `${file()}.old`);
        await appendOne();
        expect(lstatSync(file()).ino).to.equal(lstatSync(first()).ino);
      },
    );
  });

  it('for the name of a segment', async () => {
    await appendOne();
    expect(await bench().openError({ file: first() }))
      .to.include(`${first()} (SIGNING_AUDIT_FILE) is not a link`)
      .and.include('one of the files of audit.jsonl, set SIGNING_AUDIT_FILE to that name');
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
