import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AuditVerifier } from '../../../../../src/adapters/audit/verifier/audit-verifier.ts';
import type { AuditVerification } from '../../../../../src/domain/model/audit-verdict.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain, type AuditChainOptions } from '../../../../doubles/audit-chain.ts';
import { withFakeTimeouts } from '../../../../doubles/fake-timeouts.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';

const VERIFIER = import.meta.resolve('../../../../../src/adapters/audit/verifier/audit-verifier.js');

describe('AuditVerifier', () => {
  let folder: string;
  let chain: AuditChain;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-verifier-'));
    chain = new AuditChain();
    chain.append();
    chain.beginSegment('size');
    chain.append();
    chain.beginSegment('size');
    chain.append();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const pathTo = (name: string) => join(folder, name);
  const verify = (options: Partial<AuditVerification>, lineTimeoutMs = 0) =>
    new AuditVerifier({ auditFile: () => pathTo('audit.jsonl'), lineTimeoutMs }).verify({
      files: null,
      publicKeys: [],
      checkpoints: [],
      count: null,
      onProgress: null,
      ...options,
    });
  const leftOutOf = async (options: Partial<AuditVerification>) =>
    (await verify(options)).leftOut.map(({ file }) => file);
  const rejection = (options: Partial<AuditVerification>): Promise<unknown> =>
    verify(options).then(
      () => null,
      (error: unknown) => error,
    );

  describe('without files', () => {
    it('reads the audit file and those renamed from it, but no companions and no files of another service', async () => {
      const [first = '', second = ''] = chain.write(pathTo('audit.jsonl'));
      renameSync(second, pathTo('audit-2026112108.jsonl'));
      renameSync(first, pathTo('audit.jsonl-20261120'));
      for (const name of ['audit.jsonl.torn', 'audit.jsonl.usage', 'audit.jsonl.3.xz', 'audit.key', 'audit-2.jsonl'])
        writeFileSync(pathTo(name), 'no record');
      const { issue, chains } = await verify({});
      expect(issue).to.equal(null);
      expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([
        [pathTo('audit.jsonl-20261120'), pathTo('audit-2026112108.jsonl'), pathTo('audit.jsonl')],
      ]);
    });

    it('does not ignore a rotated file damaged beyond recognition', async () => {
      const [first = ''] = chain.write(pathTo('audit.jsonl'));
      for (const text of ['', 'something else\n', chain.text(0).slice(1)]) {
        writeFileSync(first, text);
        expect((await verify({})).issue?.file, text).to.equal(first);
      }
    });

    it('explains that a foreign file next to it is not an audit file, unless given as an input', async () => {
      const paths = chain.write(pathTo('audit.jsonl'));
      for (const [name, text] of [
        ['audit.jsonl.offset', '123'],
        ['audit.jsonl.note', 'hello\n'],
      ] as const) {
        writeFileSync(pathTo(name), text);
        const { issue } = await verify({});
        const named = await verify({ files: [...paths, pathTo(name)] });
        rmSync(pathTo(name));
        expect(issue).to.deep.equal({
          file: pathTo(name),
          line: null,
          message:
            'is not an audit file, or its first line is damaged: if the service did not write it, move it to another folder',
        });
        expect(named.issue).to.deep.include({ file: pathTo(name), line: 1 });
      }
    });

    it('verifies the rotated files if the current one is missing, with a note', async () => {
      const paths = chain.write(pathTo('audit.jsonl'));
      rmSync(pathTo('audit.jsonl'));
      const { issue, notes, chains } = await verify({});
      expect(issue).to.equal(null);
      expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal(paths.slice(0, 2));
      expect(notes).to.deep.equal([
        {
          file: pathTo('audit.jsonl'),
          message: 'does not exist: only the files rotated from it were verified',
        },
      ]);
    });

    it('verifies each file once despite renames during the listing', async () => {
      const names = ['audit.jsonl.2', 'audit.jsonl.1', 'audit.jsonl'];
      for (const [index, name] of names.entries()) writeFileSync(pathTo(name), chain.text(index));
      const verdict = verify({});
      for (let turn = 0; turn < 20; turn += 1) {
        renameSync(pathTo('audit.jsonl.2'), pathTo('audit.jsonl.3'));
        renameSync(pathTo('audit.jsonl.1'), pathTo('audit.jsonl.2'));
        await setTimeout(1);
        renameSync(pathTo('audit.jsonl.2'), pathTo('audit.jsonl.1'));
        renameSync(pathTo('audit.jsonl.3'), pathTo('audit.jsonl.2'));
      }
      const { issue, chains } = await verdict;
      expect([issue, chains[0]?.records]).to.deep.equal([null, 6]);
    });

    it('rejects a folder without audit files', async () => {
      expect(String(await rejection({}))).to.match(/OperatorError: The audit file \S+audit\.jsonl does not exist/);
      await rm(folder, { recursive: true });
      expect(String(await rejection({}))).to.match(/OperatorError: The folder of the audit file \S+ does not exist/);
      mkdirSync(folder);
    });
  });

  describe('during writes', () => {
    beforeEach(() => {
      chain.sign();
    });

    it('waits for the end of an incomplete line', async () => {
      const text = chain.text();
      const verifyCut = async (at: number) => {
        const file = pathTo(`${at}.jsonl`);
        writeFileSync(file, text.slice(0, at));
        const verdict = verify({ files: [file] }, 5000);
        // A busy machine needs most of it to open the file.
        await setTimeout(200);
        appendFileSync(file, text.slice(at));
        appendFileSync(file, 'and the next line is not read');
        const { issue, chains } = await verdict;
        expect(issue, String(at)).to.equal(null);
        expect(chains[0]?.records).to.be.at.least(1);
      };
      await Promise.all([0, 10, text.length - 1].map(verifyCut));
    });

    it('waits for the signature of a group', async () => {
      chain.append();
      chain.append();
      chain.sign();
      const lines = chain.text().split(/(?<=\n)/);
      const file = pathTo('audit.jsonl');
      writeFileSync(file, lines.slice(0, -1).join(''));
      let rest = `${lines.at(-1)}and the next line is not read`;
      // The first block was read.
      const onProgress = () => {
        appendFileSync(file, rest);
        rest = '';
      };
      const { issue, chains } = await verify({ files: [file], onProgress }, 5000);
      expect([issue, chains[0]?.uncovered]).to.deep.equal([null, 0]);
    });

    it('reports a file that shrank meanwhile', async () => {
      const paths = chain.write(pathTo('audit.jsonl'));
      const error = await rejection({ files: paths, onProgress: () => truncateSync(paths[2] ?? '', 700) });
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.match(/shrank while it was being read/);
    });
  });

  describe('compressed files', () => {
    it('are not left out beside their decompressed files', async () => {
      const [first = ''] = chain.write(pathTo('audit.jsonl'));
      writeFileSync(`${first}.xz`, 'compressed');
      for (const files of [null, [first]]) expect(await leftOutOf({ files })).to.not.include(`${first}.xz`);
    });

    it('accepts a gap covered by their names', async () => {
      const [first = '', second = ''] = chain.write(pathTo('audit.jsonl'));
      renameSync(second, `${second}.xz`);
      const { issue, chains, leftOut } = await verify({});
      expect(issue).to.equal(null);
      expect(leftOut).to.deep.equal([{ file: `${second}.xz`, reason: 'compressed' }]);
      expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([
        [first],
        [pathTo('audit.jsonl')],
      ]);
    });

    it('detects missing records that their names do not cover', async () => {
      const [, second = ''] = chain.write(pathTo('audit.jsonl'));
      for (const name of [
        'audit.jsonl.2.xz',
        basename(second).replace('audit.', 'audit-2.'),
        'audit.000000000001-000000000002.jsonl.xz',
        'audit.000000000003-000000000003.jsonl.xz',
      ]) {
        rmSync(second, { force: true });
        writeFileSync(pathTo(`${name}${name.endsWith('.xz') ? '' : '.xz'}`), 'compressed');
        expect((await verify({})).issue?.message, name).to.match(/missing between/);
      }
    });

    const compress = (path: string, name = `${basename(path)}.gz`, keep = false) => {
      writeFileSync(pathTo(name), gzipSync(readFileSync(path)));
      if (!keep) rmSync(path);
    };

    it('reads a file once if its compressed copy is also there, with a note', async () => {
      const files = chain.write(pathTo('audit.jsonl'));
      for (const [index, name] of ['audit.jsonl.3.gz', `${basename(files[0] ?? '')}.gz`].entries()) {
        compress(files[0] ?? '', name, true);
        const copy = pathTo(name);
        // gzip may still be writing the file of the same name.
        if (index === 1) truncateSync(copy, 5);
        for (const given of [null, [...files, copy]]) {
          const { issue, chains, notes } = await verify({ files: given });
          expect([issue, chains[0]?.records]).to.deep.equal([null, 6]);
          expect(notes).to.deep.equal([
            { file: copy, message: `was not read: it is a compressed copy of ${files[0]}` },
          ]);
        }
        rmSync(copy);
      }
    });

    it('rejects a .gz file of something else, of an incomplete line, and of nothing that had records by its name', async () => {
      const [first = ''] = chain.write(pathTo('audit.jsonl'));
      const file = pathTo('audit.jsonl.1.gz');
      writeFileSync(file, 'compressed\n');
      const message = 'is neither a gzip file nor an audit file';
      expect((await verify({})).issue).to.deep.equal({ file, line: null, message });
      writeFileSync(file, gzipSync(chain.text(0).slice(0, -1)));
      rmSync(first);
      expect((await verify({})).issue?.message).to.match(/^is incomplete/);
      rmSync(file);
      writeFileSync(`${first}.gz`, gzipSync(''));
      expect((await verify({})).issue?.message).to.include('is empty, but according to its name');
    });

    it('lists quarantined files that were not given, and notes those with records', async () => {
      const other = new AuditChain({ instanceId: 'other' });
      other.write(pathTo('audit.jsonl'));
      const [held = '', foreign = ''] = ['1', '2'].map((end) =>
        pathTo(`audit.jsonl.set-aside-2026112${end}T084900000Z`),
      );
      writeFileSync(held, `${chain.text(1)}x\n`);
      writeFileSync(foreign, 'written by another program\n');
      writeFileSync(pathTo('audit-2.jsonl.set-aside-20261121T084900000Z'), 'of another service');
      for (const files of [null, [pathTo('audit.jsonl')]]) {
        const { leftOut, notes } = await verify({ files });
        expect(leftOut).to.deep.equal([held, foreign].map((file) => ({ file, reason: 'quarantined' })));
        expect(notes).to.deep.equal([
          {
            file: held,
            message:
              'contains record 3 and later ones, which the service may have acknowledged: keep it with the other files',
          },
        ]);
      }
      expect(await leftOutOf({ files: [pathTo('audit.jsonl'), held] })).to.deep.equal([foreign]);
    });

    it('names the command to decompress an input', async () => {
      const files = chain.write(pathTo('audit.jsonl'));
      const compressed = pathTo('audit.jsonl.1.xz');
      writeFileSync(compressed, 'compressed\n');
      const { issue } = await verify({ files: [...files, compressed] });
      expect(issue).to.deep.include({ file: compressed, line: null });
      expect(issue?.message).to.include('is compressed').and.include('unxz --keep');
    });
  });

  describe('audit files that were not given', () => {
    it('lists them, compressed or not, and no other files', async () => {
      const [first = '', second = '', last = ''] = chain.write(pathTo('audit.jsonl'));
      writeFileSync(`${second}.gz`, gzipSync(readFileSync(second)));
      rmSync(second);
      for (const name of ['audit.jsonl.offset', 'audit.jsonl.note.gz']) writeFileSync(pathTo(name), 'no record\n');
      new AuditChain({ instanceId: 'other' }).write(pathTo('audit-2.jsonl'));
      const notGiven = (...files: readonly string[]) => files.map((file) => ({ file, reason: 'not-given' }));
      for (const [files, leftOut] of [
        [[last], notGiven(first, `${second}.gz`)],
        [[first, last], notGiven(`${second}.gz`)],
        [[`${second}.gz`], notGiven(first, last)],
        [[first, `${second}.gz`, last], []],
      ] as const) {
        const verdict = await verify({ files });
        expect(verdict.leftOut).to.deep.equal(leftOut);
        expect(verdict.issue).to.equal(null);
      }
    });

    it('does not list copies of the given ones', async () => {
      const files = chain.write(pathTo('audit.jsonl'));
      writeFileSync(pathTo('audit.jsonl.bak'), chain.text(1));
      writeFileSync(`${files[0]}.gz`, gzipSync(chain.text(0)));
      expect(await leftOutOf({ files })).to.deep.equal([]);
    });

    it('lists rotated files that this user cannot read, and verifies the others', async () => {
      chain.sign();
      const [first = '', second = '', last = ''] = chain.write(pathTo('audit.jsonl'));
      for (const file of [first, last]) chmodSync(file, 0o644);
      chmodSync(second, 0o000);
      chmodSync(folder, 0o755);
      mkdirSync(pathTo('closed'));
      const closed = pathTo('closed/audit.jsonl');
      writeFileSync(closed, chain.text(0), { mode: 0o000 });
      const requests = [
        [closed, null],
        [last, null],
        [last, [first, last]],
        [last, [first, second]],
      ];
      const script = `
        import { AuditVerifier } from ${JSON.stringify(VERIFIER)};
        // Root bypasses permissions.
        if (process.getuid() === 0) process.setuid(65534);
        const verdicts = [];
        for (const [auditFile, files] of ${JSON.stringify(requests)}) {
          const verifier = new AuditVerifier({ auditFile: () => auditFile, lineTimeoutMs: 0 });
          const request = { files, publicKeys: [], checkpoints: [], count: null, onProgress: null };
          verdicts.push(await verifier.verify(request).catch(String));
        }
        process.stdout.write(JSON.stringify(verdicts));`;
      const node = ['--input-type=module', '--eval', script];
      const verdicts = JSON.parse(execFileSync(process.execPath, node, { encoding: 'utf8' }));
      const [withoutLast, own, given, withSecond] = verdicts;
      expect(withoutLast).to.match(/audit\.jsonl cannot be read by this user \(EACCES\)/);
      expect(withSecond).to.match(/cannot be read by this user \(EACCES\)/);
      for (const { issue, leftOut, chains } of [own, given]) {
        expect(issue).to.equal(null);
        expect(leftOut).to.deep.equal([{ file: second, reason: 'unreadable' }]);
        expect(chains).to.have.lengthOf(2);
      }
    });
  });

  describe('chains that begin late', () => {
    /** Two files of another instance and key; the second begins with record 8. */
    const write = (name: string, options: AuditChainOptions = {}): readonly string[] => {
      const head = { seq: 5, hash: `sha256:${'0'.repeat(64)}` };
      const late = new AuditChain({ instanceId: 'later', reason: 'key', head, ...options });
      late.append();
      late.sign();
      late.beginSegment('size');
      late.append();
      late.sign();
      return late.write(pathTo(name));
    };
    const openStarts = async (files: readonly string[] | null) => {
      const { issue, lateChainStarts } = await verify({ files });
      expect(issue).to.equal(null);
      return lateChainStarts;
    };

    it('reports a gap between chains of different instances and keys', async () => {
      const [first = '', second = ''] = chain.write(pathTo('audit.jsonl.1'));
      const [late = '', last = ''] = write('audit.jsonl');
      expect(await openStarts([first, second, late, last])).to.deep.equal([
        { file: late, firstSeq: 6, reason: null, before: { file: second, lastSeq: 4 } },
      ]);
      expect(await openStarts([first, last])).to.deep.equal([
        { file: last, firstSeq: 8, reason: null, before: { file: first, lastSeq: 2 } },
      ]);
    });

    it('reports none for a single late chain, or for concurrent ones', async () => {
      const [late = '', last = ''] = write('audit.jsonl');
      expect(await openStarts([late, last])).to.deep.equal([]);
      expect(await openStarts([last])).to.deep.equal([]);
      const other = new AuditChain({ instanceId: 'other', time: '2026-11-21T00:00:00.000Z' });
      expect(await openStarts([late, last, ...other.write(pathTo('other.jsonl'))])).to.deep.equal([]);
    });

    it('reports one begun after a loss, unless the records before it exist', async () => {
      for (const reason of ['missing', 'changed'] as const) {
        const [late = '', last = ''] = write('audit.jsonl', { reason });
        expect(await openStarts([late, last])).to.deep.equal([{ file: late, firstSeq: 6, reason, before: null }]);
        expect(await openStarts([last])).to.deep.equal([]);
        const whole = new AuditChain();
        whole.sign();
        whole.beginSegment(reason);
        expect(await openStarts(whole.write(pathTo('whole.jsonl')))).to.deep.equal([]);
      }
    });
  });

  describe('times', () => {
    const at = (second: number) => new Date(Date.parse('2026-11-20T09:00:00.000Z') + second * 1000).toISOString();

    it('notes backward steps once per file, also against the file before, without failing', async () => {
      const clock = new AuditChain({ time: at(0) });
      for (const second of [1, 3600, 3599.5, 30, 31, 20]) clock.append(sampleAuditEntry({ time: at(second) }));
      clock.beginSegment('size');
      clock.append(sampleAuditEntry({ time: at(10) }));
      clock.sign();
      const files = clock.write(pathTo('audit.jsonl'));
      const [file = ''] = files;
      const { issue, notes, chains } = await verify({ files });
      expect(issue).to.equal(null);
      expect(chains[0]?.clockSetBacks).to.deep.equal({
        count: 3,
        first: {
          file,
          line: 5,
          at: { seq: 5, time: at(30) },
          before: { seq: 4, time: at(3599.5) },
          milliseconds: 3_569_500,
        },
        largestMilliseconds: 3_569_500,
      });
      expect(notes.map(({ file }) => file)).to.deep.equal(files);
      expect(notes[0]).to.deep.equal({
        file,
        message: `has times that run backwards: record 5 on line 5 has ${at(30)}, and record 4 before it has ${at(3599.5)}, 3569.5 s later, and 1 more such step in this file. The clock was set back`,
      });
    });
  });

  describe('empty files', () => {
    const EMPTY = 'is empty: nothing was recorded in it, or its content was deleted';

    it('notes them next to files with records', async () => {
      const [first = '', second = '', third = ''] = chain.write(pathTo('audit.jsonl'));
      renameSync(third, pathTo('audit.jsonl.2'));
      for (const name of ['audit.jsonl', 'audit.jsonl.1']) writeFileSync(pathTo(name), '');
      const files = [pathTo('audit.jsonl'), pathTo('audit.jsonl.1'), first, second, pathTo('audit.jsonl.2')];
      for (const inputs of [null, files]) {
        const { issue, notes, chains } = await verify({ files: inputs });
        expect(issue).to.equal(null);
        expect(chains[0]?.records).to.equal(6);
        expect(notes).to.deep.equal([
          { file: pathTo('audit.jsonl'), message: EMPTY },
          { file: pathTo('audit.jsonl.1'), message: EMPTY },
        ]);
      }
    });

    it('does not wait for them next to files with records', async () => {
      chain.sign();
      chain.write(pathTo('audit.jsonl'));
      writeFileSync(pathTo('audit.jsonl.1'), '');
      // Such a wait outlasts the test.
      expect((await verify({}, 600_000)).issue).to.equal(null);
    });

    it('fails for one with records in its name', async () => {
      const [first = ''] = chain.write(pathTo('audit.jsonl'));
      truncateSync(first, 0);
      for (const files of [null, [first, pathTo('audit.jsonl')]]) {
        expect((await verify({ files })).issue).to.deep.equal({
          file: first,
          line: null,
          message: 'is empty, but according to its name it had records 1 to 2',
        });
      }
    });
  });

  describe('files moved during the verification', () => {
    /** Runs after the first file was read. */
    const whileReading = (act: () => void): Pick<AuditVerification, 'onProgress'> => {
      let isDone = false;
      return {
        onProgress: () => {
          if (!isDone) act();
          isDone = true;
        },
      };
    };

    it('finds them under their new names, with their initial content', async () => {
      chain.sign();
      for (const files of [null, 'named'] as const) {
        const paths = chain.write(pathTo('audit.jsonl'));
        const rotated = pathTo('audit.000000000005-000000000006.jsonl');
        const { issue, chains } = await verify({
          files: files === null ? null : paths,
          ...whileReading(() => {
            const before = chain.text();
            renameSync(pathTo('audit.jsonl'), rotated);
            appendFileSync(rotated, 'no record, and later\n');
            writeFileSync(pathTo('audit.jsonl'), before.replace('"seq":5', '"seq":7'));
          }),
        });
        expect(issue).to.equal(null);
        expect(chains[0]?.records).to.equal(6);
        expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal([...paths.slice(0, 2), rotated]);
        rmSync(rotated);
      }
    });

    it('reports a removed or replaced one, and advises to retry', async () => {
      for (const act of [
        () => rmSync(pathTo('audit.jsonl')),
        // As if its inode was reused.
        () => writeFileSync(pathTo('audit.jsonl'), 'other'),
      ]) {
        chain.write(pathTo('audit.jsonl'));
        const rejected = rejection(whileReading(act));
        await withFakeTimeouts(async (tick) => {
          while (!(await isSettled(rejected))) tick(1000);
        });
        const error = await rejected;
        expect(error).to.be.instanceOf(OperatorError);
        expect((error as Error).message).to.equal(
          `The audit file ${pathTo('audit.jsonl')} was moved, replaced or deleted during verification: verify again.`,
        );
      }
    });
  });

  it('verifies more files than the open file limit allows', () => {
    const [total, limit] = [140, 100];
    const long = new AuditChain();
    for (let count = 1; count < total; count += 1) long.beginSegment('size');
    const paths = long.write(pathTo('audit.jsonl'));
    expect(paths).to.have.lengthOf(total);
    const script = `
      import { AuditVerifier } from ${JSON.stringify(VERIFIER)};
      const verifier = new AuditVerifier({ auditFile: () => ${JSON.stringify(pathTo('audit.jsonl'))}, lineTimeoutMs: 0 });
      const others = { publicKeys: [], checkpoints: [], count: null, onProgress: null };
      for (const files of [null, ${JSON.stringify(paths)}]) {
        const { issue, chains } = await verifier.verify({ files, ...others });
        console.log(JSON.stringify([issue, chains.map(({ records, files }) => [records, files.length])]));
      }`;
    const node = [process.execPath, '--input-type=module', '--eval', script];
    const printed = execFileSync('sh', ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...node], { encoding: 'utf8' });
    expect(printed).to.equal(`[null,[[${total},${total}]]]\n`.repeat(2));
  });

  it('rejects anything but a regular file, without blocking', async () => {
    execFileSync('mkfifo', [pathTo('pipe')]);
    for (const [path, message] of [
      [folder, /is a folder; give the files in it/],
      [pathTo('pipe'), /is not a regular file/],
      ['/dev/null', /is not a regular file/],
    ] as const) {
      expect(String(await rejection({ files: [path] }))).to.match(message);
    }
    expect(String(await rejection({ publicKeys: [pathTo('pipe')] }))).to.match(
      /The public key \S+ is not a regular file/,
    );
    expect(String(await rejection({ checkpoints: [folder] }))).to.match(
      /The checkpoint file \S+ is not a regular file/,
    );
  });

  it('escapes control characters of paths', async () => {
    const file = pathTo('a\u001b[2J\n\u202e.jsonl');
    writeFileSync(file, 'no record\n');
    const { issue } = await verify({ files: [file] });
    expect(issue?.file).to.match(/a\\u\{1b\}\[2J\\u\{a\}\\u\{202e\}\.jsonl$/);
    expect(String(await rejection({ files: [`${file}\u009b`] }))).to.match(/\\u\{9b\} does not exist/);
  });

  it('rejects a private key instead of a public one', async () => {
    const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']).toString();
    writeFileSync(pathTo('key'), pem);
    writeFileSync(pathTo('other.pub'), execFileSync('openssl', ['genpkey', '-algorithm', 'x25519']).toString());
    writeFileSync(pathTo('both'), pem + execFileSync('openssl', ['pkey', '-pubout'], { input: pem }).toString());
    chain.write(pathTo('audit.jsonl'));
    for (const key of [pathTo('key'), pathTo('other.pub'), pathTo('both')]) {
      const error = String(await rejection({ publicKeys: [key] }));
      expect(error).to.match(/is not an Ed25519 public key: use the file that `init` wrote/);
      expect(error).to.not.include(pem.split('\n')[1]);
    }
  });
});
