import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import type { AuditSigningKey } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { recoveredPath } from '../../../../../src/adapters/audit/segments/segment-names.ts';
import { verifyAuditFiles } from '../../../../../src/adapters/audit/verify/verify-audit-files.ts';
import type { AuditVerdict, AuditVerification } from '../../../../../src/domain/model/audit-verdict.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain, type AuditChainOptions, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';

const VERIFIER = import.meta.resolve('../../../../../src/adapters/audit/verify/verify-audit-files.js');
const REQUEST: AuditVerification = { files: null, publicKeys: [], checkpoints: [], count: null, onProgress: null };

// tests/property/audit-tampering.test.ts covers altered chains.
describe('verifyAuditFiles', () => {
  const key = createAuditKey();
  const { path: pathTo, file: store } = useTemporaryFolder();
  /** Three signed segments of 2 records each. */
  let chain: AuditChain;
  let paths: readonly string[];

  beforeEach(() => {
    chain = new AuditChain({ key });
    for (let segment = 1; segment <= 3; segment += 1) {
      if (segment > 1) chain.beginSegment('size');
      chain.append();
      chain.sign();
    }
    paths = chain.write(pathTo('audit.jsonl'));
  });

  const path = (segment: number) => paths[segment - 1] ?? '';
  /** No writer, so no wait for the rest of a line. */
  const verify = (options: Partial<AuditVerification> = {}, lineTimeoutMs = 0) =>
    verifyAuditFiles({ ...REQUEST, ...options }, () => pathTo('audit.jsonl'), lineTimeoutMs);
  /** Issue, files and number of records by chain, left out files and notes. */
  const outcome = async (files: readonly string[] | null) => {
    const { issue, chains, leftOut, notes } = await verify({ files });
    const read = chains.map((found) => [found.files.map(({ file }) => file), found.records]);
    return { issue, read, leftOut, notes };
  };
  const issueOf = async (...files: readonly string[]) => (await verify({ files })).issue;
  const rejection = async (options: Partial<AuditVerification>): Promise<string> => {
    const error = await verify(options).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(OperatorError);
    return String(error);
  };
  const whole = (files: readonly string[] = paths) => ({ issue: null, read: [[files, 6]], leftOut: [], notes: [] });
  /** What a program prints that verifies requests as another user, or within a limit. */
  const printed = (body: string, command: readonly string[] = []): string => {
    const script = `
      import { verifyAuditFiles } from ${JSON.stringify(VERIFIER)};
      const verify = (auditFile, files) =>
        verifyAuditFiles({ ...${JSON.stringify(REQUEST)}, files }, () => auditFile, 0).catch(String);
      ${body}`;
    const [program = '', ...args] = [...command, process.execPath, '--input-type=module', '--eval', script];
    return execFileSync(program, args, { encoding: 'utf8' });
  };

  describe('reads', () => {
    it('all segments of the audit file, and no other files', async () => {
      for (const name of ['audit.jsonl.torn', 'audit.jsonl.usage', 'audit.key', 'audit.jsonl.2', 'audit.2026.jsonl'])
        store(name, 'no record\n');
      new AuditChain().write(pathTo('other.jsonl'));
      expect(await outcome(null)).to.deep.equal(whole());
    });

    it('all segments of a folder, of several chains, and mixtures of files and folders', async () => {
      const other = new AuditChain({ instanceId: 'other' });
      const [beside = ''] = other.write(pathTo('other.jsonl'));
      const [all, others] = (await outcome([pathTo('')])).read;
      expect([all, others]).to.deep.equal([
        [paths, 6],
        [[beside], 1],
      ]);
      mkdirSync(pathTo('archive'));
      const [moved, copied] = [pathTo('archive/audit.000000000001.jsonl'), pathTo('archive/any.name')];
      renameSync(path(1), moved);
      renameSync(path(2), copied);
      const expected = whole([moved, copied, path(3)]);
      expect(await outcome([path(3), copied, pathTo('archive'), path(3)])).to.deep.equal(expected);
    });

    it('a file once that is given twice, as itself or a link, or as the current name', async () => {
      linkSync(path(2), pathTo('hard.jsonl'));
      symlinkSync(path(1), pathTo('soft.jsonl'));
      const given = [...paths, path(2), pathTo('hard.jsonl'), pathTo('soft.jsonl'), pathTo('audit.jsonl')];
      expect(await outcome(given)).to.deep.equal(whole());
      expect((await outcome([pathTo('audit.jsonl')])).read).to.deep.equal([[[path(3)], 2]]);
    });

    it('gzip files like their content, also of several members, mixed with others', async () => {
      const [first = '', second = ''] = [0, 1].map((index) => chain.text(index));
      const members = [second.slice(0, 700), second.slice(700)].map((text) => gzipSync(text));
      const compressed = [
        store('audit.000000000001.jsonl.gz', gzipSync(first)),
        store('audit.000000000003.jsonl.gz', Buffer.concat(members)),
        path(3),
      ];
      for (const file of [path(1), path(2)]) rmSync(file);
      for (const files of [null, compressed, paths]) expect(await outcome(files)).to.deep.equal(whole(compressed));
      expect((await verify()).bytes).to.equal(Buffer.byteLength(chain.lines.join('\n')) + 1);
    });

    it('a saved copy of a removed segment as that segment', async () => {
      renameSync(path(2), recoveredPath(path(2)));
      expect(await outcome(null)).to.deep.equal(whole([path(1), recoveredPath(path(2)), path(3)]));
    });

    it('no copy that gzip or the service made of another file, with a note', async () => {
      const compressed = store('any.gz', gzipSync(chain.text(0)));
      const note = { file: compressed, message: `was not read: it is a compressed copy of ${path(1)}` };
      expect(await outcome([compressed, ...paths])).to.deep.equal({ ...whole(), notes: [note] });
      // gzip is still writing it.
      const begun = store('audit.000000000001.jsonl.gz', gzipSync(chain.text(0)).subarray(0, 5));
      expect(await outcome(null)).to.deep.equal(whole());
      expect(await outcome([begun, ...paths])).to.deep.equal({ ...whole(), notes: [{ ...note, file: begun }] });
      cpSync(path(1), recoveredPath(path(1)));
      // What the service saved, rather than what has its place.
      const replaced = { file: path(1), message: `was not read: it is a copy of ${recoveredPath(path(1))}` };
      const read = [recoveredPath(path(1)), path(2), path(3)];
      expect(await outcome(null)).to.deep.equal({ ...whole(read), notes: [replaced] });
      rmSync(recoveredPath(path(1)));
      // A folder that was copied without its links.
      rmSync(pathTo('audit.jsonl'));
      const current = { file: store('audit.jsonl', chain.text()), message: `was not read: it is a copy of ${path(3)}` };
      expect(await outcome([current.file, ...paths])).to.deep.equal({ ...whole(), notes: [current] });
    });

    it("the only copy of a segment, at the audit file's name", async () => {
      rmSync(path(3));
      expect(await outcome(null)).to.deep.equal(whole([path(1), path(2), pathTo('audit.jsonl')]));
      writeFileSync(pathTo('audit.jsonl'), 'of another program\n');
      expect((await outcome(null)).issue).to.include({ file: pathTo('audit.jsonl'), line: 1 });
    });

    it('more files than can be open', () => {
      const [total, limit] = [140, 100];
      const long = new AuditChain();
      for (let count = 1; count < total; count += 1) long.beginSegment('size');
      const files = long.write(pathTo('long.jsonl'));
      const body = `
        for (const files of [null, ${JSON.stringify(files)}]) {
          const { issue, chains } = await verify(${JSON.stringify(pathTo('long.jsonl'))}, files);
          console.log(JSON.stringify([issue, chains.map(({ records, files }) => [records, files.length])]));
        }`;
      const limited = ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'];
      expect(printed(body, limited)).to.equal(`[null,[[${total},${total}]]]\n`.repeat(2));
    });
  });

  describe('beside a running service', () => {
    it('waits for the end of a line and of a group for a while, but not for later ones', async () => {
      const unsigned = new AuditChain({ key });
      for (let count = 0; count < 3; count += 1) unsigned.append();
      unsigned.sign();
      const [text, group, later] = [chain.text(), unsigned.text(), 'and the next line is not read'];
      const signed = group.lastIndexOf('\n', group.length - 2) + 1;
      const verifyCut = async (whole: string, at: number, rest: string) => {
        const file = store(`${at}.jsonl`, whole.slice(0, at));
        let verdict = Promise.resolve<AuditVerdict | null>(null);
        const begun = new Promise<void>((begin) => {
          verdict = verify({ files: [file], onProgress: () => begin() }, 10_000);
        });
        if (rest !== '') await begun;
        // Until the end was read.
        await setTimeout(200);
        appendFileSync(file, `${whole.slice(at)}${rest}`);
        const { issue, chains } = (await verdict) ?? {};
        expect([issue, chains?.[0]?.uncovered], String(at)).to.deep.equal([null, 0]);
      };
      await Promise.all([
        ...[0, 10].map((at) => verifyCut(text, at, '')),
        ...[text.length - 30, text.length - 1].map((at) => verifyCut(text, at, later)),
        verifyCut(group, signed, later),
      ]);
      for (const [added, end] of [
        ['', { uncovered: 2 }],
        ['{"v":2,', { line: 4 }],
      ] as const) {
        const file = store('late.jsonl', `${group.slice(0, signed)}${added}`);
        const { issue, chains } = await verify({ files: [file] }, 50);
        expect({ ...chains[0], ...issue }).to.deep.include(end);
      }
    });

    /** Runs while the first file is read. */
    const meanwhile = async (act: () => void, files: readonly string[] | null = null) => {
      let isDone = false;
      const onProgress = () => {
        if (!isDone) act();
        isDone = true;
      };
      const { issue, leftOut, chains } = await verify({ files, onProgress });
      return { issue, leftOut, read: chains.map(({ records }) => records) };
    };

    it('reads segments that are compressed meanwhile, and none that begin later', async () => {
      const found = await meanwhile(() => {
        store('audit.000000000003.jsonl.gz', gzipSync(chain.text(1)));
        rmSync(path(2));
        store('audit.000000000007.jsonl', 'no record\n');
      });
      expect(found).to.deep.equal({ issue: null, leftOut: [], read: [6] });
    });

    it('reports a segment that is emptied meanwhile', async () => {
      expect((await meanwhile(() => truncateSync(path(3), 0))).issue).to.deep.include({ file: path(3), line: 1 });
    });

    it('leaves out segments that are deleted meanwhile, which matters unless they were the oldest', async () => {
      const [first = ''] = new AuditChain({ instanceId: 'other' }).write(pathTo('other.jsonl'));
      const oldest = await meanwhile(() => rmSync(path(1)), [first, ...paths]);
      expect(oldest).to.deep.equal({ issue: null, leftOut: [], read: [1, 4] });
      chain.write(pathTo('audit.jsonl'));
      for (const [segment, read] of [
        [2, [2, 2]],
        [3, [4]],
      ] as const) {
        const found = await meanwhile(() => rmSync(path(segment)));
        expect(found).to.deep.equal({ issue: null, leftOut: [{ file: path(segment), reason: 'removed' }], read });
        chain.write(pathTo('audit.jsonl'));
      }
    });
  });

  describe('leaves out', () => {
    const notGiven = (...files: readonly string[]) => files.map((file) => ({ file, reason: 'not-given' }));

    it('segments beside the given ones, compressed or not, and no other files', async () => {
      renameSync(path(2), `${path(2)}.gz`);
      writeFileSync(`${path(2)}.gz`, gzipSync(chain.text(1)));
      new AuditChain({ instanceId: 'other' }).write(pathTo('audit-2.jsonl'));
      store('audit.jsonl.note', 'no record\n');
      for (const [files, leftOut] of [
        [[pathTo('audit.jsonl')], notGiven(path(1), `${path(2)}.gz`)],
        [[path(1), path(3)], notGiven(`${path(2)}.gz`)],
        [[`${path(2)}.gz`], notGiven(path(1), path(3))],
        [[path(1), `${path(2)}.gz`, path(3)], []],
      ] as const) {
        const verdict = await verify({ files });
        expect([verdict.issue, verdict.leftOut]).to.deep.equal([null, leftOut]);
      }
    });

    it('files of another program than gzip, unless they are also there decompressed', async () => {
      const compressed = `${path(2)}.xz`;
      renameSync(path(2), compressed);
      cpSync(path(1), `${path(1)}.zst`);
      const leftOut = [{ file: compressed, reason: 'compressed' }];
      const read = [path(1), path(3)].map((file) => [[file], 2]);
      // Its name explains the records that are missing.
      for (const files of [null, [path(1), path(3)], [pathTo('')], [pathTo(''), path(1)]])
        expect(await outcome(files)).to.deep.equal({ issue: null, read, leftOut, notes: [] });
      for (const name of ['audit.000000000004.jsonl.xz', 'audit-2.000000000002.jsonl.xz', 'audit.jsonl.2.xz']) {
        renameSync(compressed, pathTo(name));
        expect((await verify()).issue?.message, name).to.match(/^is record 5: records 3 to 4 are missing between/);
        renameSync(pathTo(name), compressed);
      }
      writeFileSync(compressed, 'compressed\n');
      const message = 'is compressed: decompress it and verify the resulting file';
      expect(await issueOf(path(1), compressed)).to.deep.equal({ file: compressed, line: null, message });
    });

    it('segments that this user cannot read, unless they are given', () => {
      for (const file of [path(1), path(3)]) chmodSync(file, 0o644);
      chmodSync(path(2), 0o000);
      chmodSync(pathTo(''), 0o755);
      mkdirSync(pathTo('closed'));
      const closed = pathTo('closed/audit.jsonl');
      for (const file of chain.write(closed)) chmodSync(file, 0o000);
      const requests = [
        [closed, null],
        [pathTo('audit.jsonl'), null],
        ['', [path(1), path(2)]],
      ];
      const [all, own, given] = JSON.parse(
        printed(`
          // Root bypasses permissions.
          if (process.getuid() === 0) process.setuid(65534);
          const verdicts = [];
          for (const request of ${JSON.stringify(requests)}) verdicts.push(await verify(...request));
          process.stdout.write(JSON.stringify(verdicts));`),
      );
      expect(all).to.match(/audit\.0+5\.jsonl cannot be read by this user \(EACCES\)/);
      expect([own.issue, own.leftOut]).to.deep.equal([null, [{ file: path(2), reason: 'unreadable' }]]);
      expect(given).to.match(/audit\.0+3\.jsonl cannot be read by this user \(EACCES\)/);
    });
  });

  describe('rejects', () => {
    it('folders without segments', async () => {
      mkdirSync(pathTo('empty'));
      expect(await rejection({ files: [pathTo('empty')] })).to.match(/The folder \S+empty has no segment of an audit/);
      for (const file of paths) renameSync(file, `${file}.xz`);
      expect(await rejection({})).to.match(/has no segment of audit\.jsonl that can be read; decompress them/);
      for (const file of paths) rmSync(`${file}.xz`);
      expect(await rejection({})).to.match(/The folder \S+ has no segment of audit\.jsonl; check the path/);
      rmSync(pathTo(''), { recursive: true });
      expect(await rejection({})).to.match(/The folder of the audit file \S+ does not exist/);
    });

    // tests/commands/audit-verify.test.ts covers missing ones.
    it('invalid input files, which it names', async () => {
      const wrong = store('wrong.txt', 'something else');
      for (const [options, message] of [
        [{ files: [] }, /No audit file was given; name at least one file or folder/],
        [{ publicKeys: [wrong] }, /The public key \S+wrong\.txt is neither a file with an Ed25519 public key nor/],
        [{ checkpoints: [wrong] }, /The checkpoint file \S+wrong\.txt contains no checkpoint/],
      ] as const)
        expect(await rejection(options)).to.match(message);
    });

    it('anything but a regular file, without blocking', async () => {
      execFileSync('mkfifo', [pathTo('pipe')]);
      for (const files of [[pathTo('pipe')], ['/dev/null']])
        expect(await rejection({ files })).to.match(/The audit file \S+ is not a regular file/);
      expect(await rejection({ publicKeys: [pathTo('pipe')] })).to.match(/The public key \S+ is not a regular file/);
      expect(await rejection({ checkpoints: [pathTo('')] })).to.match(
        /The checkpoint file \S+ is a folder; give the path of a file/,
      );
    });

    it('a private key instead of a public one, without showing it', async () => {
      const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']).toString();
      const both = pem + execFileSync('openssl', ['pkey', '-pubout'], { input: pem }).toString();
      const other = execFileSync('openssl', ['genpkey', '-algorithm', 'x25519']).toString();
      for (const text of [pem, both, other]) {
        const error = await rejection({ publicKeys: [store('key', text)] });
        expect(error).to.match(
          /is neither a file with an Ed25519 public key nor [^:]+: use the file that `init` wrote/,
        );
        expect(error).to.not.include(text.split('\n')[1]);
      }
    });
  });

  it('reports any other copy, also of the beginning of a file or if both are compressed', async () => {
    const [begin = ''] = chain.text(1).split(/(?<=\n)/);
    const packed = store('any.gz', gzipSync(chain.text(1)));
    for (const [original, content] of [
      [path(2), chain.text(1)],
      [path(2), begin],
      [packed, gzipSync(chain.text(1))],
    ] as const) {
      const file = store('copy.jsonl', content);
      const message = `is record 3, with which ${original} also begins: one of the files is a copy`;
      expect(await issueOf(path(1), original, file)).to.deep.equal({ file, line: 1, message });
    }
  });

  it('names a segment that another program damaged or whose name it took, and a damaged gzip file', async () => {
    const foreign = /^is not an audit record\. If the service did not write this file, move it to another folder$/;
    const bytes = gzipSync(chain.text(1));
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6);
    for (const [content, line, message] of [
      ['something else\n', 1, foreign],
      [chain.text(1).slice(1), 1, foreign],
      ['something else', 1, /^is incomplete/],
      [chain.text(1).slice(0, -1), 2, /^is incomplete/],
      [`${chain.text(1)}something else\n`, 3, /^is not an audit record$/],
      [bytes.subarray(0, -3), null, /^is a truncated gzip file: its last records are missing$/],
      [bytes.subarray(0, 12), null, /^is a truncated gzip file/],
      [flipped, null, /^is a damaged gzip file \(Z_DATA_ERROR\)$/],
      [Buffer.concat([bytes.subarray(0, 10), Buffer.alloc(90, 0xff)]), null, /^is a damaged gzip file/],
      [Buffer.concat([bytes, Buffer.from('{"v":2}')]), null, /^is a damaged gzip file/],
      [Buffer.concat([bytes, Buffer.alloc(1), bytes]), null, /^is a damaged gzip file: other bytes follow/],
      [Buffer.concat([bytes, Buffer.alloc(3_000_000)]), null, /^is a damaged gzip file: other bytes follow/],
      [gzipSync(chain.text(1).slice(0, -1)), 2, /^is incomplete/],
    ] as const) {
      writeFileSync(path(2), content);
      const { issue } = await verify();
      expect(issue).to.deep.include({ file: path(2), line });
      expect(issue?.message).to.match(message);
    }
  });

  it('reads little of a line that is too long, however far a gzip file expands', async () => {
    const text = `${chain.text(1)}${'x'.repeat(64 * 1024 * 1024)}`;
    for (const content of [text, gzipSync(text)]) {
      writeFileSync(path(2), content);
      const { issue, bytes } = await verify();
      expect(issue).to.deep.include({ file: path(2), line: 3 });
      expect(bytes).to.be.below(2 * 1024 * 1024);
    }
  });

  it('notes empty files beside others, without waiting, and rejects them alone', async () => {
    truncateSync(path(1), 0);
    const empty = store('audit.000000000007.jsonl', '');
    const message = 'is empty: nothing was recorded in it, or its content was deleted';
    const { issue, notes } = await outcome(null);
    expect([issue, notes]).to.deep.equal([null, [path(1), empty].map((file) => ({ file, message }))]);
    expect(await issueOf(empty)).to.deep.equal({ file: empty, line: null, message });
  });

  it('escapes control characters of paths', async () => {
    const file = store('a\u001b[2J\n\u202e.jsonl', 'no record\n');
    expect((await issueOf(file))?.file).to.match(/a\\u\{1b\}\[2J\\u\{a\}\\u\{202e\}\.jsonl$/);
    expect(await rejection({ files: [`${file}\u009b`] })).to.match(/\\u\{9b\} does not exist/);
  });

  describe('chains', () => {
    it('are reported with files, instances, keys, records, events and signatures', async () => {
      const long = longChain(key, 'one');
      const files = long.write(pathTo('long.jsonl'));
      const { issue, chains, reached, bytes } = await verify({ files: files.toReversed() });
      const { time } = sampleAuditEntry();
      expect([issue, reached, bytes]).to.deep.equal([null, [], Buffer.byteLength(long.text(0) + long.text(1))]);
      expect(chains).to.deep.equal([
        {
          files: [
            { file: files[0], first: { seq: 1, time }, last: { seq: 6, time } },
            { file: files[1], first: { seq: 7, time }, last: { seq: 9, time } },
          ],
          instanceIds: ['one', 'one-b'],
          publicKeys: [long.publicKey.toString('base64')],
          first: { seq: 1, time },
          last: { seq: 9, time, hash: long.head.hash },
          records: 9,
          events: { sign: { success: 3, refused: 2, failed: 1 }, start: { success: 1, refused: 0, failed: 0 } },
          checkpoints: 3,
          covered: 7,
          uncovered: 2,
          clockSetBacks: null,
        },
      ]);
    });

    it('of two instances with one key are distinguished, and two of one instance', async () => {
      const others = longChain(key, 'two').write(pathTo('two.jsonl'));
      const again = longChain(key, 'one', '2026-11-20T08:00:00.000Z').write(pathTo('again.jsonl'));
      const files = longChain(key, 'one').write(pathTo('one.jsonl'));
      const { issue, read } = await outcome([...files, ...others, ...again]);
      expect([issue, read.length]).to.deep.equal([null, 3]);
      const head = { ...longChain(key, 'two').head, hash: `sha256:${'0'.repeat(64)}` };
      const foreign = new AuditChain({ key, instanceId: 'two', head }).write(pathTo('foreign.jsonl'));
      const { message } = (await issueOf(...files, ...others, ...foreign)) ?? {};
      expect(message).to.include(`does not follow the end of ${others.at(-1)}`);
    });

    /** Two files of another instance and key; the second begins with record 8. */
    const writeLate = (options: AuditChainOptions = {}): readonly string[] => {
      const head = { seq: 5, hash: `sha256:${'0'.repeat(64)}` };
      const late = new AuditChain({ instanceId: 'later', reason: 'key', head, ...options });
      late.append();
      late.beginSegment('size');
      late.append();
      return late.write(pathTo('late.jsonl'));
    };
    const lateStarts = async (files: readonly string[]) => {
      const { issue, lateChainStarts } = await verify({ files });
      expect(issue).to.equal(null);
      return lateChainStarts;
    };

    it('that begin after the end of another are reported, unless a file that was left out explains it', async () => {
      const [late = '', last = ''] = writeLate();
      const [first, second] = [path(1), path(2)];
      rmSync(path(3));
      expect(await lateStarts([first, second, late, last])).to.deep.equal([
        { file: late, firstSeq: 6, reason: null, before: { file: second, lastSeq: 4 } },
      ]);
      store('audit.000000000005.jsonl', chain.text());
      expect(await lateStarts([first, second, late, last])).to.deep.equal([]);
      expect(await lateStarts([late, last])).to.deep.equal([]);
      const concurrent = new AuditChain({ instanceId: 'other', time: '2026-11-21T00:00:00.000Z' });
      expect(await lateStarts([late, last, ...concurrent.write(pathTo('other.jsonl'))])).to.deep.equal([]);
    });

    it('that begin after a loss are reported, unless the records before it exist', async () => {
      for (const reason of ['missing', 'removed', 'truncated', 'changed'] as const) {
        const [late = '', last = ''] = writeLate({ reason });
        expect(await lateStarts([late, last])).to.deep.equal([{ file: late, firstSeq: 6, reason, before: null }]);
        expect(await lateStarts([last])).to.deep.equal([]);
        const complete = new AuditChain();
        complete.beginSegment(reason);
        expect(await lateStarts(complete.write(pathTo('whole.jsonl')))).to.deep.equal([]);
      }
    });

    it('whose times run backwards have notes, once per file', async () => {
      const at = (second: number) => new Date(Date.parse('2026-11-20T09:00:00.000Z') + second * 1000).toISOString();
      const clock = new AuditChain({ time: at(0) });
      for (const second of [1, 3600, 3599.5, 30, 31, 20]) clock.append(sampleAuditEntry({ time: at(second) }));
      clock.beginSegment('size');
      clock.append(sampleAuditEntry({ time: at(10) }));
      clock.sign();
      const files = clock.write(pathTo('clock.jsonl'));
      const [file = ''] = files;
      const { issue, notes, chains } = await verify({ files });
      expect(issue).to.equal(null);
      const before = { seq: 4, time: at(3599.5) };
      const first = { file, line: 5, at: { seq: 5, time: at(30) }, before, milliseconds: 3_569_500 };
      expect(chains[0]?.clockSetBacks).to.deep.equal({ count: 3, first, largestMilliseconds: 3_569_500 });
      expect(notes.map((note) => note.file)).to.deep.equal(files);
      expect(notes[0]?.message).to.equal(
        `has times that run backwards: record 5 on line 5 has ${at(30)}, and record 4 before it has ${at(3599.5)}, 3569.5 s later, and 1 more such step in this file. The clock was set back`,
      );
    });

    it('need one of the trusted keys, as PEM or base64, and each a signature of it', async () => {
      const own = chain.publicKey.toString('base64');
      const other = Buffer.from(createAuditKey().publicKey).toString('base64');
      const pem = store('key.pub', pemOf(chain.publicKey));
      for (const publicKeys of [[pem], [other, own]]) expect((await verify({ publicKeys })).issue).to.equal(null);
      const unsigned = new AuditChain({ key, instanceId: 'two', signsSegments: false });
      const [file = ''] = unsigned.write(pathTo('two.jsonl'));
      expect((await verify({ files: [...paths, file], publicKeys: [own] })).issue).to.deep.include({ file, line: 1 });
    });
  });

  describe('checkpoints', () => {
    const { time } = sampleAuditEntry();
    const newest = { instanceId: 'instance-1', seq: 6, time };

    it('are read from an audit line, a service log line or other JSON', async () => {
      const line = chain.lines.at(-1) ?? '';
      const checkpoint = JSON.parse(checkpointLines(chain).at(-1) ?? '');
      for (const [index, form] of [
        line,
        `${line}\r\n`,
        JSON.stringify(checkpoint),
        `not JSON\n${JSON.stringify({ level: 'info', message: 'Audit checkpoint.', ...checkpoint })}\n{"other":1}\n`,
        JSON.stringify({ data: { audit: [{ checkpoint }] } }, null, 2),
      ].entries()) {
        const file = store(`checkpoint-${index}.txt`, form);
        const { issue, reached } = await verify({ checkpoints: [file] });
        expect([issue, reached], form).to.deep.equal([null, [{ file, ...newest, matching: 1, earlier: 0 }]]);
      }
    });

    it('are all compared; the newest that matches is named, and those of older files not given are counted', async () => {
      const lines = checkpointLines(chain);
      const file = store('checkpoints.jsonl', `${lines.join('\n')}\n{"seq":`);
      for (const [files, matching, earlier] of [
        [paths, 6, 0],
        [paths.slice(1), 4, 2],
      ] as const) {
        const { issue, reached } = await verify({ files, checkpoints: [file] });
        expect([issue, reached]).to.deep.equal([null, [{ file, ...newest, matching, earlier }]]);
      }
      const rewritten = JSON.stringify({ ...JSON.parse(lines[1] ?? ''), hash: `sha256:${'0'.repeat(64)}` });
      const forged = store('forged.jsonl', [lines[0], rewritten, lines[2]].join('\n'));
      expect((await verify({ checkpoints: [forged] })).issue?.message).to.include('it is forged');
    });
  });
});

/** Two files of 6 and 3 records, the last two unsigned; the second is by another writer. */
function longChain(key: AuditSigningKey, instanceId: string, time = sampleAuditEntry().time): AuditChain {
  const chain = new AuditChain({ key, instanceId, time });
  const append = (fields: object) => chain.append(sampleAuditEntry({ instanceId, time, ...fields }));
  append({ event: 'start', platformId: null, accountId: null, algorithm: null });
  append({});
  append({ outcome: 'refused', errorCode: 'ACCOUNT_DISABLED', signatureDigest: null });
  append({ outcome: 'failed', errorCode: 'SIGNATURE_FAILED', signatureDigest: null });
  chain.sign();
  append({});
  chain.beginSegment('size');
  append({ instanceId: `${instanceId}-b` });
  append({ event: 'sign', outcome: 'refused', platformId: null, accountId: null, algorithm: null });
  return chain;
}

/** The checkpoint of each signed record, as in SIGNING_AUDIT_CHECKPOINT_FILE. */
function checkpointLines(chain: AuditChain): readonly string[] {
  return chain.lines.flatMap((line) => {
    const read = readRecord(line);
    return 'issue' in read || read.checkpoint === null ? [] : [JSON.stringify(read.checkpoint)];
  });
}

function pemOf(publicKey: Buffer): string {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  return `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----\n`;
}
