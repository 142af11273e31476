import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuditSigningKey } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { nodeCalls, type OpenFile } from '../../../../doubles/file-calls.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { AUDIT_KEY, type BenchOptions, ROTATING, SinkBench, signedChain, useSinkBench } from '../sink-bench.ts';

describe('Opening the audit file', () => {
  const bench = useSinkBench();
  const file = () => bench().file;
  const first = () => bench().segment(1);
  const torn = () => `${file()}.torn`;
  const permissions = (path: string) => statSync(path).mode & 0o777;
  const warnings = () => bench().log.events.filter(({ level }) => level !== 'info');
  const writerWith = (key: AuditSigningKey) => ({ key, instanceId: 'instance-2', clock: bench().clock });

  /** Reports each call that changes a file or makes it durable, once it has succeeded. */
  function observeCalls(report: (call: string, path: string) => void): void {
    for (const call of ['write', 'sync', 'truncate', 'datasync'] as const) {
      const original = nodeCalls[call] as (file: OpenFile, ...args: readonly unknown[]) => Promise<unknown>;
      const observed = async (opened: OpenFile, ...args: readonly unknown[]) => {
        const result = await original(opened, ...args);
        report(call, opened.path);
        return result;
      };
      Object.assign(bench().calls, { [call]: observed });
    }
  }

  async function appendOne(options: BenchOptions = {}): Promise<void> {
    await bench().open(options);
    expect(await bench().append()).to.deep.equal([]);
    await bench().close();
  }

  /** Reasons of one valid chain. */
  const reasons = () => verifyChain(bench().folder).files.map(({ reason }) => reason);

  describe('in a new folder', () => {
    it('begins a chain for its owner only, with the audit file as a second name', async () => {
      await appendOne();
      const auditPublicKey = Buffer.from(AUDIT_KEY.publicKey).toString('base64');
      expect(bench().verifyExactly().records[0]?.data).to.deep.equal({ reason: 'first', auditPublicKey });
      expect(bench().sink.facts).to.deep.equal({ auditPublicKey });
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.jsonl']);
      expect(permissions(first())).to.equal(0o600);
      expect(statSync(file()).ino).to.equal(statSync(first()).ino);
    });

    it('creates missing folders for their owner only, and syncs each folder with a new entry', async () => {
      const synced: string[] = [];
      observeCalls((call, path) => call === 'sync' && synced.push(path));
      const [above, below] = [join(bench().folder, 'a'), join(bench().folder, 'a', 'b')];
      await appendOne({ file: join(below, 'audit.jsonl') });
      expect(synced).to.have.members([bench().folder, above, below]);
      for (const made of [above, below]) expect(permissions(made)).to.equal(0o700);
    });

    it('continues its newest segment beside an empty file with a higher number', async () => {
      await appendOne();
      writeFileSync(bench().segment(999), '');
      await appendOne();
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.000000000999.jsonl', 'audit.jsonl']);
    });
  });

  describe('after an orderly stop', () => {
    it('continues the newest segment, whose records and mode stay', async () => {
      await appendOne(ROTATING);
      await appendOne(ROTATING);
      const newest = bench().segment(3);
      chmodSync(newest, 0o640);
      await appendOne({ reached: { ...bench().sink.head, closed: true } });
      expect(permissions(newest)).to.equal(0o640);
      expect(bench().reasons()).to.deep.equal(['first', 'size']);
      expect(warnings()).to.deep.equal([]);
    });

    it('begins the next segment for another key', async () => {
      await appendOne();
      chmodSync(first(), 0o640);
      const key = createAuditKey();
      await appendOne({ writer: writerWith(key) });
      const { files } = bench().verifyExactly();
      const auditPublicKey = Buffer.from(key.publicKey).toString('base64');
      expect(files[1]?.records[0]?.data).to.deep.equal({ reason: 'key', auditPublicKey });
      expect(permissions(bench().segment(3))).to.equal(0o640);
    });

    it('accepts a segment of its own key, left by a start that failed', async () => {
      const chain = signedChain(4);
      const reached = { ...chain.head, closed: true };
      const key = createAuditKey();
      chain.beginSegment('key', key);
      chain.write(file());
      await appendOne({ reached, writer: writerWith(key) });
      expect(reasons()).to.deep.equal(['first', 'key']);
    });

    it('continues after the noted record, with a warning, if all segments were moved away', async () => {
      const { head } = signedChain(4);
      await appendOne({ reached: { ...head, closed: true } });
      const [segment] = verifyChain(bench().folder, { head }).files;
      expect([segment?.name, segment?.reason]).to.deep.equal(['audit.000000000005.jsonl', 'missing']);
      expect(warnings()[0]?.message).to.include('No audit file found');
    });
  });

  describe('after a crash', () => {
    it('continues after the noted record; unsigned ones go to .torn, with their numbers in log and facts', async () => {
      const chain = signedChain(3);
      const reached = { ...chain.head, closed: false };
      chain.append();
      chain.sign();
      const signed = chain.text();
      chain.append();
      chain.append();
      chain.write(file());
      appendFileSync(first(), '{"v":2,"seq":');
      const tail = readFileSync(first(), 'utf8').slice(signed.length);
      await appendOne({ reached });
      expect(readFileSync(first(), 'utf8').startsWith(signed)).to.equal(true);
      expect(readFileSync(torn(), 'utf8')).to.equal(tail);
      expect(permissions(torn())).to.equal(0o600);
      expect(bench().sink.facts).to.include({ unsignedRecords: 2, tornBytes: tail.length });
      const numbers = { records: 2, firstRecord: 5, lastRecord: 6 };
      const facts = { file: first(), movedTo: torn(), bytes: tail.length, ...numbers };
      expect(bench().log.events[0]).to.deep.include({ level: 'warn', facts });
      expect(reasons()).to.deep.equal(['first']);
    });

    for (const [name, records, tail] of [
      ['longer than one read, behind as many records', 2501, `{"v":2,"seq":4,"${'x'.repeat(2_200_000)}`],
      ['that a power cut left as zeros', 3, '\0'.repeat(4096)],
    ] as const) {
      it(`moves an incomplete line ${name} to .torn`, async () => {
        const chain = signedChain(records);
        chain.write(file());
        appendFileSync(first(), tail);
        await appendOne();
        expect(readFileSync(first(), 'utf8').startsWith(chain.text())).to.equal(true);
        expect(readFileSync(torn(), 'utf8')).to.equal(tail);
        expect(bench().sink.facts).to.include({ tornBytes: tail.length }).and.not.have.property('unsignedRecords');
        expect(reasons()).to.deep.equal(['first']);
      });
    }

    it('adds to .torn what follows each crash', async () => {
      signedChain(3).write(file());
      for (const tail of ['{"v":2,"seq":first', '{"v":2,"seq":second']) {
        appendFileSync(first(), tail);
        await bench().restart();
      }
      expect(readFileSync(torn(), 'utf8')).to.equal('{"v":2,"seq":first{"v":2,"seq":second');
    });

    it('removes the unsigned end only once its copy and the name of that are durable', async () => {
      signedChain(3).write(file());
      appendFileSync(first(), '{"v":2,"seq":torn');
      const steps: string[] = [];
      observeCalls((call, path) => steps.push(`${call} ${path}`));
      await bench().open();
      expect(steps).to.deep.equal([
        `write ${torn()}`,
        `sync ${torn()}`,
        `sync ${bench().folder}`,
        `truncate ${first()}`,
        `datasync ${first()}`,
        // By the descriptor that continues it.
        `datasync ${first()}`,
      ]);
    });

    it('moves a segment without any signature to .torn, and begins it again', async () => {
      const chain = signedChain(4);
      chain.beginSegment('size');
      const [, newest = ''] = chain.write(file());
      const unsigned = readFileSync(newest, 'utf8').replace(/,"sig":"[^"]*"\}/, '}');
      writeFileSync(newest, unsigned);
      await appendOne();
      expect(readFileSync(torn(), 'utf8')).to.equal(unsigned);
      expect(bench().sink.facts).to.include({ unsignedRecords: 1 });
      expect(reasons()).to.deep.equal(['first', 'reopened']);
    });

    it('loses only unsigned bytes, at any byte of a write or a rotation', async () => {
      const source = new SinkBench(join(bench().folder, 'source'));
      await source.open(ROTATING);
      for (let count = 0; count < 4; count += 1) await source.append(3);
      await source.close();
      const written = source.verifyExactly().files.map(({ name }) => readFileSync(join(source.folder, name), 'latin1'));
      const size = written.join('').length;
      let run = 0;
      const crashes = fc.record({ at: fc.integer({ min: 0, max: size }), isEmptyMade: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(crashes, async ({ at, isEmptyMade }) => {
          const crashed = new SinkBench(join(bench().folder, `run-${run++}`));
          mkdirSync(crashed.folder);
          const left = written.join('').slice(0, at);
          const paths = writeUpTo(crashed, written, at, isEmptyMade);
          const signed = left.split(/(?<="sig":.*\n)/).filter((group) => group.includes('"sig":'));
          const kept = signed.filter((group) => group.endsWith('\n')).join('');
          await crashed.open();
          await crashed.sink.append(sampleAuditEntry({ correlationId: 'after' }));
          await crashed.close();
          const { files, lines, ids } = verifyChain(crashed.folder);
          expect(lines.map((line) => `${line}\n`).join('')).to.satisfy((text: string) => text.startsWith(kept));
          expect(ids).to.have.length(kept.split('"event":"sign"').length);
          expect(files.map(({ name }) => join(crashed.folder, name))).to.deep.equal(paths);
          const aside = existsSync(`${crashed.file}.torn`) ? readFileSync(`${crashed.file}.torn`, 'latin1') : '';
          expect(kept + aside).to.equal(left);
        }),
        { numRuns: 40 },
      );
    });

    const steps: { readonly [step: string]: () => void } = {
      'only the length of its first record is durable': () => writeFileSync(bench().segment(3), '\0'.repeat(600)),
      'its second name has a temporary name': () => linkSync(bench().segment(3), `${file()}.tmp`),
      'there is no second name': () => rmSync(file()),
    };
    for (const [step, leave] of Object.entries(steps)) {
      it(`in a rotation, continues the next segment if ${step}`, async () => {
        await appendOne();
        const head = { ...bench().sink.head, closed: false };
        await bench().open();
        await bench().sink.reopen();
        await bench().close();
        rmSync(file());
        linkSync(first(), file());
        leave();
        await appendOne({ reached: head });
        expect(bench().reasons()).to.deep.equal(['first', 'reopened']);
        expect(statSync(file()).ino).to.equal(statSync(bench().segment(3)).ino);
        expect(bench().names()).to.not.include('audit.jsonl.tmp');
      });
    }

    for (const [next, isBegun] of [
      ['appends to it', false],
      ['begins the next segment', true],
    ] as const) {
      it(`syncs what a killed process left in the page cache, which its own writes do not, before it ${next}`, async () => {
        await appendOne();
        if (isBegun) writeFileSync(bench().segment(3), '');
        chmodSync(first(), isBegun ? 0o400 : 0o600);
        const steps: string[] = [];
        observeCalls((call, path) => steps.push(`${call === 'write' ? call : 'synced'} ${path}`));
        await appendOne();
        const written = steps.indexOf(`write ${bench().segment(isBegun ? 3 : 1)}`);
        expect(steps.slice(0, written)).to.include(`synced ${first()}`);
      });
    }
  });

  describe('beside older segments', () => {
    /** Three segments. */
    function writeThree(reason: 'size' | 'truncated' = 'size'): void {
      const chain = signedChain(4);
      for (const why of ['size', reason] as const) {
        chain.beginSegment(why);
        chain.append();
        chain.sign();
      }
      chain.write(file());
    }

    const changes: { readonly [change: string]: (path: string) => void } = {
      'moved away': (path) => rmSync(path),
      // A mode does not keep root from reading.
      unreadable: (path) => {
        rmSync(path);
        symlinkSync(path, path);
      },
      compressed: (path) => {
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
        rmSync(path);
      },
      'replaced by a folder': (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      'followed by something else': (path) => appendFileSync(path, 'not a record\n'),
      'cut after its first record': (path) => writeFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]}\n`),
      'truncated and then written to, as the newest says': (path) =>
        writeFileSync(path, new AuditChain({ head: { seq: 6, hash: `sha256:${'00'.repeat(32)}` } }).text()),
    };
    for (const [change, make] of Object.entries(changes)) {
      it(`starts if the one before the newest is ${change}`, async () => {
        writeThree(change.startsWith('truncated') ? 'truncated' : 'size');
        make(bench().segment(5));
        await appendOne();
        expect(bench().sink.head.seq).to.equal(9);
        expect(warnings()).to.deep.equal([]);
      });
    }

    it('opens no older one for writing', async () => {
      writeThree();
      const opened: string[] = [];
      bench().calls.open = (path, flags, mode) => {
        opened.push(String(path));
        return nodeCalls.open(path, flags, mode);
      };
      await appendOne();
      expect(opened)
        .to.include(bench().segment(7))
        .and.not.include.members([first(), bench().segment(5)]);
    });
  });
});

/** Segments of a chain as a crash after that many bytes leaves them; returns their paths. */
function writeUpTo(bench: SinkBench, written: readonly string[], at: number, isEmptyMade: boolean): readonly string[] {
  const paths: string[] = [];
  let rest = at;
  for (const text of written) {
    if (rest < 0 || (rest === 0 && !isEmptyMade && paths.length > 0)) break;
    const path = bench.segment(Number(/"seq":(\d+)/.exec(text)?.[1]));
    writeFileSync(path, text.slice(0, rest), 'latin1');
    paths.push(path);
    if (paths.length === 1) linkSync(path, bench.file);
    rest -= text.length;
  }
  return paths;
}
