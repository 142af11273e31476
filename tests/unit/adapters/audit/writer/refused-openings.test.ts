import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { tryLock } from '../../../../../src/adapters/audit/writer/file-system.ts';
import type { ReachedRecord } from '../../../../../src/adapters/audit/writer/open-chain.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { type BenchOptions, createGate, SinkBench, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const KEY = createAuditKey();

/** A segment record and three others, the last one signed. */
function fourRecords(key = KEY): AuditChain {
  const chain = new AuditChain({ key });
  appendTo(chain, 3);
  return chain;
}

function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function appendTo(chain: AuditChain, count: number): void {
  for (let index = 0; index < count; index += 1) chain.append(sampleAuditEntry({ correlationId: `before-${index}` }));
  chain.sign();
}

describe('Opening the audit file is refused, and changes no file,', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder, KEY);
  const file = () => bench().file;
  const first = () => bench().segment(1);
  const reachedBy = ({ head }: AuditChain, closed = true): ReachedRecord => ({ ...head, closed });

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

  describe('after a graceful shutdown,', () => {
    for (const [records, tail, what] of [
      [1, '', 'record 5 was added'],
      [2, '', 'records 5 to 6 were added'],
      [0, '{"v":2,"seq":5,"time":', 'an incomplete line was added'],
    ] as const) {
      it(`if ${what} without a signature`, async () => {
        const chain = fourRecords();
        const reached = reachedBy(chain);
        for (let count = 0; count < records; count += 1) chain.append();
        chain.write(file());
        appendFileSync(first(), tail);
        expect(await refusal({ reached }))
          .to.include(`The audit file ${first()} continues after record 4, the last one before a graceful shutdown`)
          .and.include(`: ${what} since then`)
          .and.include(`${file()}.usage`);
        // The remedy in the message.
        await appendOne({ reached: null });
        verifyChain(folder());
      });
    }

    it('if records by another key were added', async () => {
      const chain = fourRecords();
      const reached = reachedBy(chain);
      chain.beginSegment('key', createAuditKey());
      chain.write(file());
      expect(await refusal({ reached }))
        .to.include('signed by an audit key other than')
        .and.include(bench().segment(5));
    });

    it('if signatures were removed', async () => {
      const chain = new AuditChain({ key: KEY });
      chain.write(file());
      writeFileSync(first(), chain.text().replace(/,"sig":"[^"]*"\}/, '}'));
      expect(await refusal({ reached: reachedBy(fourRecords()) })).to.include(
        'have no records, but record 4 was written',
      );
    });
  });

  describe('for records that are known to be written, if', () => {
    it('the last ones are missing, with what a new chain costs', async () => {
      const chain = fourRecords();
      chain.write(file());
      appendTo(chain, 1);
      expect(await refusal({ reached: reachedBy(chain, false) }))
        .to.include('end with record 4, but record 5 was written')
        .and.include(`all audit files and ${file()}.usage together to another folder`)
        .and.include('A new chain then begins with record 1');
      const reached = reachedBy(chain);
      expect(await refusal({ reached }))
        .to.include('end with record 4, but record 5 was written')
        .and.include(`leave ${file()}.usage in place`)
        .and.include('begins after the known record, with reason `missing`');
      // As the message advises.
      clear();
      await appendOne({ reached });
      expect(verifyChain(folder(), { head: chain.head }).files[0]?.reason).to.equal('missing');
    });

    it('all are missing after a crash', async () => {
      expect(await refusal({ reached: reachedBy(fourRecords(), false) }))
        .to.include(file())
        .and.include('have no records, but record 4 was written');
      expect(bench().names()).to.deep.equal([]);
    });

    it('they were replaced, under another key or not', async () => {
      const chain = fourRecords();
      const before = chain.head;
      const forged = fourRecords();
      forged.beginSegment('key', createAuditKey());
      appendTo(forged, 8);
      forged.write(file());
      appendTo(chain, 2);
      expect(await refusal({ reached: reachedBy(chain) })).to.include(`Record 6 of the audit file ${file()} differs`);
      clear();
      chain.write(file());
      const other = { seq: before.seq, hash: `sha256:${'00'.repeat(32)}`, closed: true };
      expect(await refusal({ reached: other })).to.include('Record 4 of the audit file');
    });
  });

  describe('for the newest segment, if', () => {
    const added: { readonly [what: string]: (chain: AuditChain) => string } = {
      'a copy of its last signed record was added': () => '',
      'records and a copy of its last signed record were added': (chain) => {
        const { lines } = chain;
        chain.append();
        return `${chain.lines[lines.length]}\n`;
      },
      'other lines and a copy of its last signed record were added': () => 'garbage\n\n',
    };
    for (const [what, add] of Object.entries(added)) {
      it(what, async () => {
        const chain = fourRecords();
        const reached = [null, reachedBy(chain), reachedBy(chain, false)];
        chain.write(file());
        appendFileSync(first(), `${add(chain)}${chain.lines[3]}\n`);
        for (const known of reached)
          expect(await refusal({ reached: known })).to.include('altered, added, repeated or removed lines');
      });
    }

    it('records were removed from it', async () => {
      for (const removed of [1, 2]) {
        const chain = fourRecords();
        chain.write(file());
        writeFileSync(first(), `${chain.lines.toSpliced(1, removed).join('\n')}\n`);
        expect(await refusal({ reached: reachedBy(chain) })).to.include('altered, added, repeated or removed lines');
      }
    });

    const ends: { readonly [what: string]: (chain: AuditChain) => string } = {
      'a record near its end was altered': (chain) => chain.text().replace('before-2', 'before-9'),
      'a line that is no record was added': (chain) => `${chain.text()}notes\n`,
      'a record of another chain was added': (chain) => `${chain.text()}${fourRecords(createAuditKey()).lines[1]}\n`,
      'its last record has the signature of another key': (chain) => {
        const [, sig = ''] = /"sig":"([^"]*)"\}\n$/.exec(fourRecords(createAuditKey()).text()) ?? [];
        return chain.text().replace(/[^"]*(?="\}\n$)/, sig);
      },
    };
    for (const [what, change] of Object.entries(ends)) {
      it(`${what}, naming the line and the command to run`, async () => {
        const chain = fourRecords();
        chain.write(file());
        writeFileSync(first(), change(chain));
        expect(await refusal())
          .to.include(`signing-service audit verify ${first()}`)
          .and.include('line at byte');
      });
    }

    it('it is compressed, with the command to uncompress it', async () => {
      fourRecords().write(file());
      writeFileSync(`${first()}.gz`, gzipSync(readFileSync(first())));
      rmSync(first());
      rmSync(file());
      expect(await refusal()).to.include(`Run \`gunzip ${first()}.gz\`, then start again`);
    });

    it('its name has the number of another record', async () => {
      fourRecords().write(file());
      renameSync(first(), bench().segment(100));
      expect(await refusal())
        .to.include(`${bench().segment(100)} begins with record 1`)
        .and.include('Give it the name of its first record');
    });

    it('it is a symbolic link', async () => {
      fourRecords().write(file());
      renameSync(first(), join(folder(), 'target'));
      symlinkSync('target', first());
      rmSync(file());
      expect(await refusal())
        .to.include(first())
        .and.include('symbolic link')
        .and.include('set SIGNING_AUDIT_FILE');
    });

    const others: { readonly [what: string]: (path: string) => void } = {
      'a text': (path) => writeFileSync(path, 'my precious notes\n'),
      'a text without a line': (path) => writeFileSync(path, '{"version":3,"crypto":{}}'),
      'a record and then another text': (path) => writeFileSync(path, `${fourRecords().text()}SECRET=1`),
      'a line that is too long': (path) => writeFileSync(path, `${'x'.repeat(100_000)}\n`),
      'an empty line first': (path) => writeFileSync(path, `\n${fourRecords().text()}`),
      'other records than the first one': (path) => writeFileSync(path, `${fourRecords().lines.slice(1).join('\n')}\n`),
      'a folder': (path) => mkdirSync(path),
      'a pipe': (path) => execFileSync('mkfifo', [path]),
    };
    for (const [what, make] of Object.entries(others)) {
      it(`another program's file has its name: ${what}`, async () => {
        make(first());
        expect(await refusal())
          .to.include(`${first()} is not an audit file`)
          .and.include('Move it to another folder')
          .and.not.include('SECRET=1');
      });
    }

    const tornFiles: readonly (readonly [string, (path: string) => void])[] = [
      ['ELOOP', (path) => symlinkSync('/dev/null', path)],
      ['EISDIR', (path) => mkdirSync(path)],
      ['ENXIO', (path) => execFileSync('mkfifo', [path])],
    ];
    for (const [code, make] of tornFiles) {
      it(`its unsigned end cannot be moved (${code})`, async () => {
        const torn = `${file()}.torn`;
        fourRecords().write(file());
        appendFileSync(first(), '{"v":2,"seq":');
        make(torn);
        expect(await refusal())
          .to.include(`was not moved, because ${torn} cannot be opened (${code}: `)
          .and.include(`Move ${torn} to another folder, then start again.`)
          .and.not.include('SIGNING_AUDIT_FILE');
      });
    }
  });

  describe('for the segment before the newest, if', () => {
    function expectBroken(message: string): void {
      expect(message)
        .to.include(`The audit file ${bench().segment(5)} does not follow ${first()}, whose last record is`)
        .and.include(`signing-service audit verify ${folder()}`);
    }

    it('it is one of another chain', async () => {
      const chain = fourRecords();
      chain.beginSegment('size');
      chain.write(file());
      writeFileSync(first(), fourRecords(createAuditKey()).text());
      expectBroken(await refusal());
    });

    it('it has records with the numbers of the newest', async () => {
      const chain = fourRecords();
      chain.beginSegment('size');
      chain.write(file());
      const fork = fourRecords();
      appendTo(fork, 3);
      writeFileSync(first(), fork.text());
      expectBroken(await refusal());
    });

    it('it was altered near its end', async () => {
      const chain = fourRecords();
      chain.beginSegment('size');
      chain.write(file());
      writeFileSync(first(), chain.text(0).replace('before-2', 'before-9'));
      expectBroken(await refusal());
    });
  });

  describe("if a file that is no segment has the audit file's name:", () => {
    const names: { readonly [what: string]: () => void } = {
      'an older layout': () => writeFileSync(file(), fourRecords().text()),
      'a restored copy': () => {
        rmSync(file());
        copyFileSync(first(), file());
      },
      'an empty file': () => {
        rmSync(file());
        writeFileSync(file(), '');
      },
      'all that is left of a removed segment': () => rmSync(first()),
      'a symbolic link to a segment': () => {
        rmSync(file());
        symlinkSync(first(), file());
      },
      'a symbolic link to another file': () => {
        writeFileSync(join(folder(), 'target'), 'my precious notes\n');
        rmSync(file());
        symlinkSync('target', file());
      },
      'a folder': () => {
        rmSync(file());
        mkdirSync(file());
      },
      'a pipe': () => {
        rmSync(file());
        execFileSync('mkfifo', [file()]);
      },
    };
    for (const [what, make] of Object.entries(names)) {
      it(what, async () => {
        fourRecords().write(file());
        if (what === 'an older layout') clear();
        make();
        expect(await refusal())
          .to.include(`${file()} (SIGNING_AUDIT_FILE) is not a link to an audit file`)
          .and.include(`mv ${file()} ${file()}.old`);
        // As the message advises.
        renameSync(file(), `${file()}.old`);
        await appendOne();
        expect(lstatSync(file()).ino).to.equal(lstatSync(first()).ino);
      });
    }
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

    it('with a whole end or not', async () => {
      await bench().open();
      await bench().append();
      appendFileSync(first(), '{"v":2,"seq":');
      const before = contents();
      await expectRefused();
      expect(contents()).to.deep.equal(before);
      await bench().close();
      await appendOne();
      expect(readFileSync(`${file()}.torn`, 'utf8')).to.equal('{"v":2,"seq":');
      bench().verifyExactly();
    });

    it('after it began another segment, or lost it', async () => {
      await bench().open();
      await bench().append();
      await bench().sink.reopen();
      await expectRefused();
      renameSync(bench().segment(3), `${bench().segment(3)}.moved`);
      await expectRefused();
      rmSync(`${bench().segment(3)}.moved`);
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

    describe('even if the lock file was deleted:', () => {
      it('while its segment has records', async () => {
        await bench().open();
        await bench().append();
        rmSync(`${file()}.lock`);
        await expectRefused(first());
        expect(await bench().append()).to.deep.equal([]);
        bench().verifyExactly();
      });

      it('before it begins the segment that this one would begin', async () => {
        await appendOne();
        const others: FileHandle[] = [];
        bench().calls.open = async (path, flags, mode) => {
          if (path === bench().segment(3) && others.length === 0) others.push(await openFile(path, 'w'));
          for (const other of others) tryLock(other);
          return nodeCalls.open(path, flags, mode);
        };
        const key = createAuditKey();
        const message = await bench().openError({ writer: { key, instanceId: 'instance-2', clock: bench().clock } });
        for (const other of others) await other.close();
        expect(message)
          .to.match(/^Another running service is writing/)
          .and.include(bench().segment(3));
      });

      it('while it writes its first record', async () => {
        const [writing, written] = [createGate(), createGate()];
        bench().calls.write = async (opened, bytes) => {
          writing.open();
          await written.passed;
          return nodeCalls.write(opened, bytes);
        };
        const opening = bench().open();
        await writing.passed;
        rmSync(`${file()}.lock`);
        const second = new SinkBench(folder());
        second.calls.open = async (path, flags, mode) => {
          // After it has seen an empty segment.
          if (path === first()) {
            written.open();
            await opening;
          }
          return nodeCalls.open(path, flags, mode);
        };
        expect(await second.openError()).to.include('Another running service');
        expect(await bench().append()).to.deep.equal([]);
        bench().verifyExactly();
      });
    });
  });
});
