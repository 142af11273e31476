import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { AuditVerifier } from '../../../../../src/adapters/driven/audit-verifier/audit-verifier.ts';
import { readRecord } from '../../../../../src/audit-trail/read-record.ts';
import type { AuditVerification } from '../../../../../src/domain/model/audit-verdict.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { describeAuditVerifierContract } from '../../../../contracts/audit-verifier-contract.ts';
import { AuditChain, type AuditChainOptions, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { programAt } from '../../../../programs/program.ts';

const SOURCE = new URL('../../../../../src/adapters/driven/audit-verifier/audit-verifier.ts', import.meta.url);
const VERIFIER = pathToFileURL(programAt(SOURCE)).href;

describeAuditVerifierContract('AuditVerifier', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-verifier-'));
  return {
    verifier: new AuditVerifier({ auditFile: () => join(folder, 'audit.jsonl'), patienceMs: 0 }),
    put: async (name, text) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    textOf: (path) => readFile(path, 'utf8'),
    dispose: () => rm(folder, { recursive: true }),
  };
});

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

  const place = (name: string) => join(folder, name);
  const verify = (options: Partial<AuditVerification>, patienceMs = 0) =>
    new AuditVerifier({ auditFile: () => place('audit.jsonl'), patienceMs }).verify({
      files: null,
      publicKeys: [],
      checkpoints: [],
      count: null,
      onProgress: null,
      ...options,
    });
  const rejection = (options: Partial<AuditVerification>): Promise<unknown> =>
    verify(options).then(
      () => null,
      (error: unknown) => error,
    );

  describe('without files', () => {
    it("reads the service's own file and those that were rotated out of it, and nothing else", async () => {
      const paths = chain.write(place('audit.jsonl'));
      const companions = ['torn', 'lock', 'usage', 'tmp', 'set-aside-20261121T084900000Z'];
      const compressed = ['2.gz', '3.xz', '4.zst', '5.bz2', '6.lz4', '7.Z'];
      for (const end of [...companions, ...compressed, 'key', 'key.pub', 'pem', 'key.previous'])
        writeFileSync(place(`audit.jsonl.${end}`), 'no record');
      const other = new AuditChain({ instanceId: 'other' });
      other.append();
      other.write(place('audit-other.jsonl'));
      mkdirSync(place('audit.folder'));
      const { fault, chains } = await verify({});
      expect(fault).to.equal(null);
      expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([paths]);
    });

    it('reads the files that another program renamed', async () => {
      const [first = '', second = ''] = chain.write(place('audit.jsonl'));
      renameSync(second, place('audit.jsonl.1'));
      renameSync(first, place('audit.jsonl-20261120'));
      const { fault, chains } = await verify({});
      expect(fault).to.equal(null);
      expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal([
        place('audit.jsonl-20261120'),
        place('audit.jsonl.1'),
        place('audit.jsonl'),
      ]);
    });

    it('reads the files that logrotate renamed by date and kept the extension of, and no other service', async () => {
      const [first = '', second = ''] = chain.write(place('audit.jsonl'));
      for (const [older, newer] of [
        ['audit-20261120.jsonl', 'audit-2026112108.jsonl'],
        ['audit-20261120-07.jsonl', 'audit-20261121-1763683200.jsonl'],
      ] as const) {
        renameSync(first, place(older));
        renameSync(second, place(newer));
        for (const other of ['audit-2.jsonl', 'audit-20261120-b.jsonl', 'audit-20261122.txt']) {
          writeFileSync(place(other), 'no record\n');
        }
        const { fault, chains } = await verify({});
        expect(fault).to.equal(null);
        const files = [older, newer, 'audit.jsonl'].map(place);
        expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([files]);
        renameSync(place(older), first);
        renameSync(place(newer), second);
      }
    });

    it('does not pass over a rotated file that was spoilt so that it seems to be none', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      for (const text of ['', 'something else\n', chain.text(0).slice(1)]) {
        writeFileSync(first, text);
        expect((await verify({})).fault?.file, text).to.equal(first);
      }
    });

    it('says of a file in another format of which version it is', async () => {
      const { v, hash = `sha256:${'5c'.repeat(32)}`, ...fields } = JSON.parse(chain.lines[0] ?? '');
      writeFileSync(place('audit.jsonl'), `${JSON.stringify({ ...fields, hash })}\n`);
      const message = `is of audit format version 1; this release reads version ${v}`;
      expect((await verify({})).fault).to.deep.equal({ file: place('audit.jsonl'), line: 1, message });
    });

    it('says that what another program keeps beside it is no audit file, unless that was named', async () => {
      const paths = chain.write(place('audit.jsonl'));
      for (const [name, text] of [
        ['audit.jsonl.offset', '123'],
        ['audit.jsonl.note', 'hello\n'],
      ] as const) {
        writeFileSync(place(name), text);
        const { fault } = await verify({});
        const named = await verify({ files: [...paths, place(name)] });
        rmSync(place(name));
        expect(fault).to.deep.equal({
          file: place(name),
          line: null,
          message:
            'is no audit file, or its first line was spoilt: if the service did not write it, move it to another folder',
        });
        expect(named.fault).to.deep.include({ file: place(name), line: 1 });
      }
    });

    it('keeps to the fault of a file beside it with a name of logrotate, or with an altered record', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      for (const name of ['audit.jsonl.1', 'audit.jsonl-20261120', 'audit.jsonl.2026-11-20']) {
        renameSync(first, place(name));
        writeFileSync(place(name), 'hello\n');
        expect((await verify({})).fault, name).to.deep.include({ line: 1, message: 'is not an audit record' });
        renameSync(place(name), first);
      }
      renameSync(first, place('audit.jsonl.old'));
      writeFileSync(place('audit.jsonl.old'), chain.text(0).replace('instance-1', 'instance-2'));
      expect((await verify({})).fault?.message).to.match(/^has a signature that the audit key did not make/);
    });

    it('finds a rotated file that is missing', async () => {
      const [, second = ''] = chain.write(place('audit.jsonl'));
      rmSync(second);
      expect((await verify({})).fault).to.deep.include({ file: place('audit.jsonl'), line: 1 });
    });

    it('takes the rotated files where the current one is missing, and says so', async () => {
      const paths = chain.write(place('audit.jsonl'));
      rmSync(place('audit.jsonl'));
      const { fault, notes, chains } = await verify({});
      expect(fault).to.equal(null);
      expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal(paths.slice(0, 2));
      expect(notes).to.deep.equal([
        {
          file: place('audit.jsonl'),
          message: 'is not there: only the files that were rotated out of it were verified',
        },
      ]);
    });

    it('finds each file once though another program goes on renaming them while it looks', async () => {
      const names = ['audit.jsonl.2', 'audit.jsonl.1', 'audit.jsonl'];
      for (const [index, name] of names.entries()) writeFileSync(place(name), chain.text(index));
      const verdict = verify({});
      for (let turn = 0; turn < 20; turn += 1) {
        renameSync(place('audit.jsonl.2'), place('audit.jsonl.3'));
        renameSync(place('audit.jsonl.1'), place('audit.jsonl.2'));
        await setTimeout(1);
        renameSync(place('audit.jsonl.2'), place('audit.jsonl.1'));
        renameSync(place('audit.jsonl.3'), place('audit.jsonl.2'));
      }
      const { fault, chains } = await verdict;
      expect([fault, chains[0]?.records]).to.deep.equal([null, 6]);
    });

    it('rejects where there is no audit file', async () => {
      expect(String(await rejection({}))).to.match(/OperatorError: The audit file \S+audit\.jsonl is not there/);
      await rm(folder, { recursive: true });
      expect(String(await rejection({}))).to.match(/OperatorError: The folder of the audit file \S+ is not there/);
      mkdirSync(folder);
    });
  });

  describe('while the service writes', () => {
    beforeEach(() => {
      chain.sign();
    });

    it('waits for the end of a line that is being written', async () => {
      const text = chain.text();
      const file = place('audit.jsonl');
      for (const at of [0, 10, text.indexOf('\n'), text.length - 300, text.length - 1]) {
        writeFileSync(file, text.slice(0, at));
        const verdict = verify({ files: [file] }, 5000);
        await setTimeout(100);
        appendFileSync(file, text.slice(at));
        appendFileSync(file, 'and the next line is not read');
        const { fault, chains } = await verdict;
        expect(fault, String(at)).to.equal(null);
        expect(chains[0]?.records).to.be.at.least(1);
      }
    });

    it('waits for the signature of a group that is being written', async () => {
      const lines = chain.text().split(/(?<=\n)/);
      const file = place('audit.jsonl');
      writeFileSync(file, lines.slice(0, -1).join(''));
      const verdict = verify({ files: [file] }, 5000);
      await setTimeout(100);
      appendFileSync(file, `${lines.at(-1)}and the next line is not read`);
      const { fault, chains } = await verdict;
      expect([fault, chains[0]?.uncovered]).to.deep.equal([null, 0]);
    });

    it('reads no further than the file reached when it was opened', async () => {
      const [, , last = ''] = chain.write(place('audit.jsonl'));
      const { bytes, fault } = await verify({
        files: [last],
        onProgress: () => appendFileSync(last, 'no record\n'),
      });
      expect(fault).to.equal(null);
      expect(bytes).to.equal(Buffer.byteLength(chain.text()));
    });

    it('does not take a file for whole that became shorter meanwhile', async () => {
      const paths = chain.write(place('audit.jsonl'));
      const error = await rejection({ files: paths, onProgress: () => truncateSync(paths[2] ?? '', 700) });
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.match(/became shorter while it was read/);
    });
  });

  describe('of compressed files', () => {
    it('names those that it left out, whichever files were given', async () => {
      const [first = '', second = '', last = ''] = chain.write(place('audit.jsonl'));
      renameSync(first, place('audit.jsonl.2'));
      renameSync(second, place('audit.jsonl-20261120'));
      for (const name of [
        'audit.jsonl.1.gz',
        'audit.000000000001-000000000003.jsonl.zst',
        'audit-2.jsonl.1.gz',
        'audit.jsonl.torn.gz',
      ]) {
        writeFileSync(place(name), 'compressed');
      }
      const leftOut = [place('audit.000000000001-000000000003.jsonl.zst'), place('audit.jsonl.1.gz')];
      expect((await verify({ files: null })).leftOut).to.deep.equal(leftOut);
      for (const file of [last, place('audit.jsonl.2'), place('audit.jsonl-20261120')]) {
        expect((await verify({ files: [file] })).leftOut, file).to.deep.equal(leftOut);
      }
    });

    it('finds no fault where records are missing that they hold by their names', async () => {
      const [first = '', second = ''] = chain.write(place('audit.jsonl'));
      renameSync(second, `${second}.gz`);
      const { fault, chains, leftOut } = await verify({});
      expect(fault).to.equal(null);
      expect(leftOut).to.deep.equal([`${second}.gz`]);
      expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([[first], [place('audit.jsonl')]]);
    });

    it('finds records missing that none of them holds by its name', async () => {
      const [, second = ''] = chain.write(place('audit.jsonl'));
      for (const name of [
        'audit.jsonl.2.gz',
        basename(second).replace('audit.', 'audit-2.'),
        'audit.000000000001-000000000002.jsonl.gz',
      ]) {
        rmSync(second, { force: true });
        writeFileSync(place(`${name}${name.endsWith('.gz') ? '' : '.gz'}`), 'compressed');
        expect((await verify({})).fault?.message, name).to.match(/missing between/);
      }
    });

    it('names files that the service set aside, too, unless they are given', async () => {
      const files = chain.write(place('audit.jsonl'));
      const setAside = place('audit.jsonl.set-aside-20261121T084900000Z');
      writeFileSync(setAside, 'written by another program');
      writeFileSync(place('audit-2.jsonl.set-aside-20261121T084900000Z'), 'of another service');
      expect((await verify({})).leftOut).to.deep.equal([setAside]);
      expect((await verify({ files })).leftOut).to.deep.equal([setAside]);
      expect((await verify({ files: [...files, setAside] })).leftOut).to.deep.equal([]);
    });

    it('notes of files that the service set aside which hold records, and only of those', async () => {
      const other = new AuditChain({ instanceId: 'other' });
      other.write(place('audit.jsonl'));
      const setAside = ['1', '2', '3'].map((end) => place(`audit.jsonl.set-aside-20261121T08490000${end}Z`));
      for (const [index, text] of [`${chain.text(1)}x\n`, 'written by another program\n', ''].entries())
        writeFileSync(setAside[index] ?? '', text);
      for (const files of [null, [place('audit.jsonl')]]) {
        const { leftOut, notes } = await verify({ files });
        expect(leftOut).to.deep.equal(setAside);
        expect(notes).to.deep.equal([
          {
            file: setAside[0],
            message: 'holds records from 3 on, which the service may have acknowledged: keep it with the other files',
          },
        ]);
      }
    });

    it('says how to decompress one that it is given', async () => {
      const files = chain.write(place('audit.jsonl'));
      for (const [end, command] of [
        ['gz', 'gunzip --keep'],
        ['xz', 'unxz --keep'],
      ]) {
        const compressed = place(`audit.jsonl.1.${end}`);
        writeFileSync(compressed, 'compressed\n');
        const { fault } = await verify({ files: [...files, compressed] });
        expect(fault?.file).to.equal(compressed);
        expect(fault?.line).to.equal(null);
        expect(fault?.message).to.include('is compressed').and.include(command);
      }
    });

    it('does not name one that is there decompressed, too', async () => {
      const files = chain.write(place('audit.jsonl'));
      writeFileSync(`${files[0]}.gz`, 'compressed');
      expect((await verify({ files })).leftOut).to.deep.equal([]);
    });
  });

  describe('of chains that begin late', () => {
    /** Two files of another instance and key, of which the second begins with record 8. */
    const write = (name: string, options: AuditChainOptions = {}): readonly string[] => {
      const head = { seq: 5, hash: `sha256:${'0'.repeat(64)}` };
      const late = new AuditChain({ instanceId: 'later', reason: 'key', head, ...options });
      late.append();
      late.sign();
      late.beginSegment('size');
      late.append();
      late.sign();
      return late.write(place(name));
    };
    const openStarts = async (files: readonly string[] | null) => {
      const { fault, openStarts } = await verify({ files });
      expect(fault).to.equal(null);
      return openStarts;
    };

    it('tells of a hole between two chains, though neither instance nor key connects them', async () => {
      const [first = '', second = ''] = chain.write(place('audit.jsonl.1'));
      const [late = '', last = ''] = write('audit.jsonl');
      expect(await openStarts([first, second, late, last])).to.deep.equal([
        { file: late, firstSeq: 6, reason: null, before: { file: second, lastSeq: 4 } },
      ]);
      expect(await openStarts([first, last])).to.deep.equal([
        { file: last, firstSeq: 8, reason: null, before: { file: first, lastSeq: 2 } },
      ]);
    });

    it('tells of none where a chain begins late alone, or beside one that goes on meanwhile', async () => {
      const [late = '', last = ''] = write('audit.jsonl');
      expect(await openStarts([late, last])).to.deep.equal([]);
      expect(await openStarts([last])).to.deep.equal([]);
      const other = new AuditChain({ instanceId: 'other', time: '2026-11-21T00:00:00.000Z' });
      expect(await openStarts([late, last, ...other.write(place('other.jsonl'))])).to.deep.equal([]);
    });

    it('tells of none where compressed files hold the records by their names', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      const [late = '', last = ''] = write('audit.jsonl');
      writeFileSync(place('audit.000000000003-000000000005.jsonl.gz'), 'compressed');
      expect(await openStarts([first, late, last])).to.deep.equal([]);
    });

    it('tells of one that was begun because of a loss, unless the records before it are there', async () => {
      for (const reason of ['missing', 'removed', 'truncated', 'changed'] as const) {
        const [late = '', last = ''] = write('audit.jsonl', { reason });
        expect(await openStarts([late, last])).to.deep.equal([{ file: late, firstSeq: 6, reason, before: null }]);
        expect(await openStarts([last])).to.deep.equal([]);
        const whole = new AuditChain();
        whole.sign();
        whole.beginSegment(reason);
        expect(await openStarts(whole.write(place('whole.jsonl')))).to.deep.equal([]);
      }
    });
  });

  describe('of times', () => {
    const at = (second: number) => new Date(Date.parse('2026-11-20T09:00:00.000Z') + second * 1000).toISOString();

    it('notes where they run backwards, once a file, and that nothing is wrong with the rest', async () => {
      const clock = new AuditChain({ time: at(0) });
      for (const second of [1, 3600, 3599.5, 30, 31, 20]) clock.append(sampleAuditEntry({ time: at(second) }));
      clock.sign();
      const [file = ''] = clock.write(place('audit.jsonl'));
      const { fault, notes } = await verify({ files: [file] });
      expect(fault).to.equal(null);
      expect(notes).to.deep.equal([
        {
          file,
          message: `goes back in time: record 5 on line 5 is of ${at(30)}, and record 4 before it of ${at(3599.5)}, and 1 more time in this file. The clock was set back`,
        },
      ]);
    });

    it('notes it across files, too', async () => {
      const clock = new AuditChain({ time: at(0) });
      clock.append(sampleAuditEntry({ time: at(100) }));
      clock.sign();
      clock.beginSegment('size');
      clock.append(sampleAuditEntry({ time: at(50) }));
      clock.sign();
      const files = clock.write(place('audit.jsonl'));
      const { notes } = await verify({ files });
      expect(notes.map(({ file }) => file)).to.deep.equal([files[1]]);
    });
  });

  describe('of empty files', () => {
    const EMPTY = 'is empty: nothing was recorded in it, or it was emptied';

    it('says that they are, as long as another holds records', async () => {
      const [first = '', second = '', third = ''] = chain.write(place('audit.jsonl'));
      renameSync(third, place('audit.jsonl.2'));
      for (const name of ['audit.jsonl', 'audit.jsonl.1']) writeFileSync(place(name), '');
      const files = [place('audit.jsonl'), place('audit.jsonl.1'), first, second, place('audit.jsonl.2')];
      for (const given of [null, files]) {
        const { fault, notes, chains } = await verify({ files: given });
        expect(fault).to.equal(null);
        expect(chains[0]?.records).to.equal(6);
        expect(notes).to.deep.equal([
          { file: place('audit.jsonl'), message: EMPTY },
          { file: place('audit.jsonl.1'), message: EMPTY },
        ]);
      }
    });

    it('does not wait for a record in them when another holds some', async () => {
      chain.sign();
      chain.write(place('audit.jsonl'));
      writeFileSync(place('audit.jsonl.1'), '');
      // With such patience, a wait outlasts the test.
      expect((await verify({}, 600_000)).fault).to.equal(null);
    });

    it('finds it when all are', async () => {
      for (const name of ['audit.jsonl', 'audit.jsonl.1']) writeFileSync(place(name), '');
      const { fault } = await verify({});
      expect(fault).to.deep.equal({
        file: place('audit.jsonl'),
        line: null,
        message: 'is empty: an audit file has at least its segment record',
      });
    });

    it('finds one that held records by its name', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      truncateSync(first, 0);
      for (const files of [null, [first, place('audit.jsonl')]]) {
        expect((await verify({ files })).fault).to.deep.equal({
          file: first,
          line: null,
          message: 'is empty, and by its name it held records 1 to 2',
        });
      }
    });
  });

  describe('with public keys', () => {
    const withKeys = (of: AuditChain) => ({ publicKeys: [of.publicKey.toString('base64')] });

    it('finds at its last line a chain without a signature: everybody can write the name of the key into it', async () => {
      const unsigned = new AuditChain({ signsSegments: false });
      for (let file = 1; file < 3; file += 1) {
        unsigned.append();
        unsigned.beginSegment('size');
      }
      unsigned.append();
      const paths = unsigned.write(place('audit.jsonl'));
      const { fault, chains } = await verify(withKeys(unsigned));
      expect(fault?.message).to.match(
        /^ends a chain of 6 records without a signature: whoever can write the file could have written them\. A service signs every record before it acknowledges it/,
      );
      expect([fault?.file, fault?.line]).to.deep.equal([paths[2], 2]);
      expect(chains[0]?.uncovered).to.equal(6);
      expect((await verify({})).fault).to.equal(null);
    });

    it('finds one of several chains', async () => {
      const files = chain.write(place('audit.jsonl'));
      chain.sign();
      chain.write(place('audit.jsonl'));
      expect((await verify({ files, ...withKeys(chain) })).fault).to.equal(null);
      const key = createAuditKey();
      const forged = new AuditChain({
        key: { ...key, publicKey: chain.publicKey },
        instanceId: 'other',
        signsSegments: false,
      });
      writeFileSync(place('forged.jsonl'), forged.text());
      const { fault } = await verify({ files: [...files, place('forged.jsonl')], ...withKeys(chain) });
      expect(fault).to.deep.include({ file: place('forged.jsonl'), line: 1 });
      expect(fault?.message).to.match(/^ends a chain of 1 record without a signature: .* written it\./);
    });

    it('takes a chain whose last signed record a checkpoint from elsewhere covers', async () => {
      chain.sign();
      const files = chain.write(place('audit.jsonl'));
      const read = readRecord(chain.lines.at(-1) ?? '');
      writeFileSync(place('kept.json'), JSON.stringify('fault' in read ? null : read.checkpoint));
      const { fault, chains, reached } = await verify({ files, checkpoints: [place('kept.json')], ...withKeys(chain) });
      expect(fault).to.equal(null);
      expect(chains[0]).to.include({ covered: 6, uncovered: 0 });
      expect(reached.map(({ seq }) => seq)).to.deep.equal([6]);
    });
  });

  describe('of files that are moved while it reads', () => {
    /** Does this once the first file was read. */
    const whileReading = (act: () => void): Pick<AuditVerification, 'onProgress'> => {
      let isDone = false;
      return {
        onProgress: () => {
          if (!isDone) act();
          isDone = true;
        },
      };
    };

    it('finds them under their new names, and reads what they held before', async () => {
      chain.sign();
      for (const files of [null, 'named'] as const) {
        const paths = chain.write(place('audit.jsonl'));
        const rotated = place('audit.000000000005-000000000006.jsonl');
        const { fault, chains } = await verify({
          files: files === null ? null : paths,
          ...whileReading(() => {
            const before = chain.text();
            renameSync(place('audit.jsonl'), rotated);
            appendFileSync(rotated, 'no record, and later\n');
            writeFileSync(place('audit.jsonl'), before.replace('"seq":5', '"seq":7'));
          }),
        });
        expect(fault).to.equal(null);
        expect(chains[0]?.records).to.equal(6);
        expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal([...paths.slice(0, 2), rotated]);
        rmSync(rotated);
      }
    });

    it('finds them where their names are handed on', async () => {
      const names = ['audit.jsonl.2', 'audit.jsonl.1', 'audit.jsonl'];
      for (const [index, name] of names.entries()) writeFileSync(place(name), chain.text(index));
      const { fault, chains } = await verify(
        whileReading(() => {
          for (const [from, to] of [
            [2, 3],
            [1, 2],
          ])
            renameSync(place(`audit.jsonl.${from}`), place(`audit.jsonl.${to}`));
          renameSync(place('audit.jsonl'), place('audit.jsonl.1'));
          writeFileSync(place('audit.jsonl'), '');
        }),
      );
      expect(fault).to.equal(null);
      expect(chains[0]?.records).to.equal(6);
    });

    it('finds the file that a link named', async () => {
      const paths = chain.write(place('audit.jsonl'));
      mkdirSync(place('links'));
      const links = paths.map((path, index) => {
        symlinkSync(path, place(`links/${index}`));
        return place(`links/${index}`);
      });
      const { fault, chains } = await verify({
        files: links,
        ...whileReading(() => {
          renameSync(place('audit.jsonl'), place('audit.jsonl.1'));
          writeFileSync(place('audit.jsonl'), 'new');
        }),
      });
      expect(fault).to.equal(null);
      expect(chains[0]?.records).to.equal(6);
    });

    it('says that one is gone, or holds something else, and to verify again', async () => {
      for (const act of [
        () => rmSync(place('audit.jsonl')),
        () => writeFileSync(place('audit.jsonl'), 'other'.repeat(1000)),
        // As where it was deleted and another file got its inode.
        () => writeFileSync(place('audit.jsonl'), 'other'),
        () => {
          writeFileSync(place('copy'), chain.text());
          renameSync(place('copy'), place('audit.jsonl'));
        },
      ]) {
        chain.write(place('audit.jsonl'));
        const error = await rejection(whileReading(act));
        expect(error).to.be.instanceOf(OperatorError);
        expect((error as Error).message).to.equal(
          `The audit file ${place('audit.jsonl')} was moved, replaced or deleted while it was verified: verify again.`,
        );
      }
    });
  });

  it('verifies more files than may be open at once', async function () {
    this.timeout(60_000);
    const [total, limit] = [200, 128];
    const long = new AuditChain();
    for (let count = 1; count < total; count += 1) long.beginSegment('size');
    const paths = long.write(place('audit.jsonl'));
    expect(paths).to.have.lengthOf(total);
    for (const files of [null, paths]) {
      const script = `
        import { AuditVerifier } from ${JSON.stringify(VERIFIER)};
        const verifier = new AuditVerifier({ auditFile: () => ${JSON.stringify(place('audit.jsonl'))} });
        const nothing = { publicKeys: [], checkpoints: [], count: null, onProgress: null };
        const { fault, chains } = await verifier.verify({ files: ${JSON.stringify(files)}, ...nothing });
        console.log(JSON.stringify([fault, chains.map(({ records, files }) => [records, files.length])]));`;
      const node = [process.execPath, '--input-type=module', '--eval', script];
      const printed = execFileSync('sh', ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...node], { encoding: 'utf8' });
      expect(JSON.parse(printed)).to.deep.equal([null, [[total, total]]]);
    }
  });

  it('rejects what is no regular file, at once', async () => {
    execFileSync('mkfifo', [place('pipe')]);
    for (const [path, message] of [
      [folder, /is a folder; name the files in it/],
      [place('pipe'), /is no regular file/],
      ['/dev/null', /is no regular file/],
    ] as const) {
      expect(String(await rejection({ files: [path] }))).to.match(message);
    }
    expect(String(await rejection({ publicKeys: [place('pipe')] }))).to.match(/The public key \S+ is no regular file/);
    expect(String(await rejection({ checkpoints: [folder] }))).to.match(/The checkpoint file \S+ is no regular file/);
  });

  it('shows no character of a path that could steer a terminal', async () => {
    const file = place('a\u001b[2J\n\u202e.jsonl');
    writeFileSync(file, 'no record\n');
    const { fault } = await verify({ files: [file] });
    expect(fault?.file).to.match(/a\\u\{1b\}\[2J\\u\{a\}\\u\{202e\}\.jsonl$/);
    expect(String(await rejection({ files: [`${file}\u009b`] }))).to.match(/\\u\{9b\} is not there/);
  });

  it('takes no private key for a public one', async () => {
    const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']).toString();
    writeFileSync(place('key'), pem);
    writeFileSync(place('other.pub'), execFileSync('openssl', ['genpkey', '-algorithm', 'x25519']).toString());
    chain.write(place('audit.jsonl'));
    for (const key of [place('key'), place('other.pub')]) {
      const error = String(await rejection({ publicKeys: [key] }));
      expect(error).to.match(/is no Ed25519 public key: name the file that `init` wrote/);
      expect(error).to.not.include(pem.split('\n')[1]);
    }
  });

  it('says of a public key that is neither a file nor a key what it has to be', async () => {
    chain.write(place('audit.jsonl'));
    expect(String(await rejection({ publicKeys: ['abc'] }))).to.include(
      'The public key abc is neither a file nor a base64 key of 32 bytes; check the path or the key.',
    );
  });

  it('takes the same memory whatever the files hold', async function () {
    this.timeout(60_000);
    const file = place('long.jsonl');
    writeFileSync(file, chain.text(0));
    for (let count = 0; count < 8; count += 1) appendFileSync(file, 'x'.repeat(8_000_000));
    const before = process.memoryUsage.rss();
    let peak = before;
    const { fault } = await verify({
      files: [file],
      onProgress: () => (peak = Math.max(peak, process.memoryUsage.rss())),
    });
    peak = Math.max(peak, process.memoryUsage.rss());
    expect(fault).to.deep.include({ file, line: 3 });
    expect(peak - before).to.be.below(40_000_000);
  });
});
