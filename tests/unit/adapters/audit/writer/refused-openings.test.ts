import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ReachedRecord } from '../../../../../src/adapters/audit/writer/open-chain.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { type BenchOptions, createGate, SinkBench, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const KEY = createAuditKey();

/** A segment record and others, the last one signed. */
function chainOf(records: number, key = KEY): AuditChain {
  const chain = new AuditChain({ key });
  appendTo(chain, records - 1);
  return chain;
}

function appendTo(chain: AuditChain, count: number): void {
  for (let index = 0; index < count; index += 1) chain.append(sampleAuditEntry({ correlationId: `before-${index}` }));
  chain.sign();
}

/** The last of so many records, as the service noted it. */
function noted(records: number, closed: boolean): ReachedRecord {
  return { ...chainOf(records).head, closed };
}

/** A start that is refused. */
interface Refusal {
  /** Does something to the segment of a chain of four records. */
  readonly given: (chain: AuditChain, segment: string) => unknown;
  readonly reached?: ReachedRecord;
  /** Parts of the message. Names of paths are in braces. */
  readonly says: readonly string[];
}

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

function replace(path: string, make: (path: string) => void): void {
  rmSync(path, { force: true });
  make(path);
}

function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

describe('Opening the audit file is refused, and changes no file,', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder, KEY);
  const file = () => bench().file;
  const first = () => bench().segment(1);
  const next = () => bench().segment(5);

  /** Content of each file of the folder; of a link where it leads. */
  function contents(): { readonly [name: string]: string } {
    return Object.fromEntries(
      bench()
        .names()
        .map((name) => {
          const path = join(folder(), name);
          const stats = lstatSync(path);
          if (stats.isSymbolicLink()) return [name, readlinkSync(path)];
          return [name, stats.isFile() ? readFileSync(path, 'latin1') : ''];
        }),
    );
  }

  /** The message; the folder stays as it is, and no file stays open. */
  async function refusal(options: BenchOptions = {}): Promise<string> {
    const countDescriptors = () => readdirSync('/proc/self/fd').length;
    const [before, descriptors] = [contents(), countDescriptors()];
    const message = await bench().openError(options);
    expect(contents()).to.deep.equal(before);
    expect(countDescriptors()).to.equal(descriptors);
    return message;
  }

  async function appendOne(options: BenchOptions = {}): Promise<void> {
    await bench().open(options);
    await bench().append();
    await bench().close();
  }

  function clear(): void {
    for (const name of bench().names()) rmSync(join(folder(), name));
  }

  function each(refusals: { readonly [what: string]: Refusal }, afterwards?: () => Promise<void>): void {
    for (const [what, { given, reached = null, says }] of Object.entries(refusals)) {
      it(what, async () => {
        const chain = chainOf(4);
        chain.write(file());
        given(chain, first());
        const message = await refusal({ reached });
        const paths = { first: first(), next: next(), file: file(), folder: folder() };
        for (const text of says)
          expect(message).to.include(
            text.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof paths) => String(paths[name])),
          );
        expect(message).to.not.include('SECRET');
        await afterwards?.();
      });
    }
  }

  describe('after a graceful shutdown, if', () => {
    const reached = noted(4, true);
    each(
      {
        'records were added without a signature': {
          given: (chain) => [chain.append(), chain.append(), chain.write(file())],
          reached,
          says: [`${AFTER_FOUR}: records 5 to 6 were added since then`, '{file}.usage'],
        },
        'an incomplete line was added': {
          given: (_, path) => appendFileSync(path, '{"v":2,"seq":5,"time":'),
          reached,
          says: [`${AFTER_FOUR}: an incomplete line was added`],
        },
      },
      async () => {
        // As the message advises.
        await appendOne({ reached: null });
        verifyChain(folder());
      },
    );
    each({
      'records by another key were added': {
        given: (chain) => [chain.beginSegment('key', createAuditKey()), chain.write(file())],
        reached,
        says: ['{next} continues after record 4', 'signed by an audit key other than'],
      },
      'unsigned records are all that is left': {
        given: (_, path) => rewrite(path, (text) => `${text.split('\n')[0]?.replace(/,"sig":"[^"]*"/, '')}\n`),
        reached,
        says: ['have no records, but record 4 was written'],
      },
    });
  });

  describe('for records that are known to be written, if they', () => {
    const nothing = () => undefined;
    each({
      'are missing after a crash': {
        ...{ given: nothing, reached: noted(5, false) },
        says: [
          'end with record 4, but record 5 was written',
          'all audit files and {file}.usage together to another folder',
          'A new chain then begins with record 1',
        ],
      },
      'are missing after a graceful shutdown': {
        ...{ given: nothing, reached: noted(5, true) },
        says: [
          'end with record 4, but record 5 was written',
          'leave {file}.usage in place',
          'begins after the known record, with reason `missing`',
        ],
      },
      'are all missing after a crash': {
        ...{ given: clear, reached: noted(4, false) },
        says: ['The files of the audit file {file} have no records, but record 4 was written'],
      },
      'were replaced': {
        ...{ given: nothing, reached: { seq: 4, hash: `sha256:${'00'.repeat(32)}`, closed: true } },
        says: ['Record 4 of the audit file {file} differs from the one that was written'],
      },
      'were replaced under another key': {
        given: (chain) => [chain.beginSegment('key', createAuditKey()), appendTo(chain, 8), chain.write(file())],
        reached: noted(6, true),
        says: ['Record 6 of the audit file {file} differs from the one that was written'],
      },
    });
  });

  describe('for the newest segment, if', () => {
    const repeated = (lines: string) => (chain: AuditChain, path: string) =>
      appendFileSync(path, `${lines}${chain.lines[3]}\n`);
    each({
      'its last signed record is repeated': {
        ...{ given: repeated(''), reached: noted(4, true) },
        says: OTHER_LINES,
      },
      'its last signed record is repeated after other lines': { given: repeated('garbage\n\n'), says: OTHER_LINES },
      'it lacks a record': {
        given: (chain, path) => rewrite(path, (text) => text.replace(`${chain.lines[1]}\n`, '')),
        says: OTHER_LINES,
      },
      'it was altered near its end': {
        given: (_, path) => rewrite(path, (text) => text.replace('before-2', 'before-9')),
        says: AT_LINE,
      },
      'it has a line that is no record': { given: (_, path) => appendFileSync(path, 'notes\n'), says: AT_LINE },
      'it has a record of another chain': {
        given: (_, path) => appendFileSync(path, `${chainOf(4, createAuditKey()).lines[1]}\n`),
        says: AT_LINE,
      },
      'it has the signature of another key': {
        given: (_, path) => {
          const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(chainOf(4, createAuditKey()).text()) ?? [];
          rewrite(path, (text) => text.replace(/[^"]*(?="\}\n$)/, sig));
        },
        says: AT_LINE,
      },
      'it is compressed': {
        given: (_, path) => {
          writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
          rmSync(path);
          rmSync(file());
        },
        says: ['Run `gunzip {first}.gz`, then start again'],
      },
      'its name has the number of another record': {
        given: (_, path) => renameSync(path, next()),
        says: ['{next} is not an audit file: it begins with record 1'],
      },
      'it is a symbolic link': {
        given: (_, path) => [renameSync(path, `${path}.moved`), rmSync(file()), symlinkSync(`${path}.moved`, path)],
        says: ['{first}', 'symbolic link', 'set SIGNING_AUDIT_FILE'],
      },
      "another program's text has its name": {
        given: (_, path) => writeFileSync(path, 'my SECRET notes\n'),
        says: NO_AUDIT_FILE,
      },
      'another text follows': { given: (_, path) => appendFileSync(path, 'SECRET=1'), says: NO_AUDIT_FILE },
      'it does not begin with a segment record': {
        given: (chain, path) => rewrite(path, (text) => text.replace(`${chain.lines[0]}\n`, '')),
        says: NO_AUDIT_FILE,
      },
      'a pipe has its name': { given: (_, path) => [rmSync(file()), replace(path, makePipe)], says: NO_AUDIT_FILE },
      'its unsigned end cannot be moved': {
        given: (_, path) => [appendFileSync(path, '{"v":2,"seq":'), makePipe(`${file()}.torn`)],
        says: NOT_MOVED,
      },
    });
  });

  describe('for the segment before the newest, if', () => {
    const given = (change: (path: string) => void) => (chain: AuditChain, path: string) => [
      chain.beginSegment('size'),
      chain.write(file()),
      change(path),
    ];
    each({
      'it is one of another chain': {
        given: given((path) => writeFileSync(path, chainOf(4, createAuditKey()).text())),
        says: NOT_FOLLOWING,
      },
      'it has records with the numbers of the newest': {
        given: given((path) => writeFileSync(path, chainOf(7).text())),
        says: NOT_FOLLOWING,
      },
      'it was altered near its end': {
        given: given((path) => rewrite(path, (text) => text.replace('before-2', 'before-9'))),
        says: NOT_FOLLOWING,
      },
    });
  });

  describe("if a file that is no segment has the audit file's name:", () => {
    const given = (make: (path: string) => void) => () => replace(file(), make);
    each(
      {
        'an older layout': {
          given: (chain) => [clear(), writeFileSync(file(), chain.text())],
          says: NO_LINK,
        },
        'a restored copy': { given: given((path) => copyFileSync(first(), path)), says: NO_LINK },
        'an empty file': { given: given((path) => writeFileSync(path, '')), says: NO_LINK },
        'all that is left of a removed segment': { given: (_, path) => rmSync(path), says: NO_LINK },
        'a symbolic link to a segment': { given: given((path) => symlinkSync(first(), path)), says: NO_LINK },
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
    const path = join(folder(), 'notes');
    writeFileSync(path, 'my precious notes\n');
    for (const through of [join(path, 'audit.jsonl'), join(path, 'deeper', 'audit.jsonl')]) {
      expect(await refusal({ file: through }))
        .to.include(through)
        .and.include('is a file, not a folder')
        .and.include('SIGNING_AUDIT_FILE');
    }
  });

  describe('while another service has it', () => {
    async function expectRefused(path = file()): Promise<void> {
      const second = new SinkBench(folder());
      expect(await second.openError())
        .to.include(path)
        .and.include('Another running service')
        .and.include('SIGNING_AUDIT_FILE');
    }

    it('with another segment, an incomplete end, or no segment', async () => {
      await bench().open();
      await bench().append();
      await bench().sink.reopen();
      await expectRefused();
      appendFileSync(bench().segment(3), '{"v":2,"seq":');
      const before = contents();
      await expectRefused();
      expect(contents()).to.deep.equal(before);
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
