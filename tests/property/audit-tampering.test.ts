import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { readRecord } from '../../src/adapters/audit/record/read-record.ts';
import { segmentData } from '../../src/adapters/audit/record/segment.ts';
import { type AuditSigningKey, EMPTY_CHAIN, signRecord } from '../../src/adapters/audit/record/signed-record.ts';
import { verifyAuditFiles } from '../../src/adapters/audit/verify/verify-audit-files.ts';
import { sha256Of } from '../../src/adapters/node/sha256.ts';
import type { AuditHead, AuditRecord } from '../../src/domain/model/audit-entry.ts';
import type { AuditVerdict, AuditVerification } from '../../src/domain/model/audit-verdict.ts';
import { AuditChain, chainEntry, createAuditKey } from '../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

const NAMES = ['a.jsonl', 'b.jsonl', 'c.jsonl'];
/** Constant, so that a seed reproduces a failure. */
const KEY = createAuditKey(Buffer.alloc(32, 7));
const START = Date.parse('2026-11-20T08:49:00.000Z');
const OUTSIDE = 'outside.json';
const FORGED = /^has a signature that the audit key did not create: it was altered or forged$/;

/**
 * One chain in three files of 8, 7 and 6 lines, signed on the first, the 6th, 5th and 5th, and the
 * last.
 */
function sampleChain(key: AuditSigningKey = KEY, accountId = 'main'): AuditChain {
  const chain = new AuditChain({ key, time: timeOf(0) });
  const appendUpTo = (lines: number) => {
    while ((chain.files.at(-1)?.length ?? 0) < lines) {
      chain.append(sampleAuditEntry({ accountId, time: timeOf(chain.head.seq), correlationId: `c-${chain.head.seq}` }));
    }
  };
  for (const [file, [signed, last]] of [
    [6, 8],
    [5, 7],
    [5, 6],
  ].entries()) {
    if (file > 0) chain.beginSegment('size');
    appendUpTo(signed ?? 0);
    chain.sign();
    appendUpTo(last ?? 0);
    chain.sign();
  }
  return chain;
}

function timeOf(seq: number): string {
  return new Date(START + seq * 100).toISOString();
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function parsed(line: string | undefined): AuditRecord {
  return JSON.parse(line ?? '');
}

/**
 * Alters records as an attacker without the audit key: recomputes hashes, keeps signatures or signs
 * with another key.
 */
function rechained(
  lines: readonly string[],
  from: AuditHead,
  alter: (record: AuditRecord) => AuditRecord,
  key: AuditSigningKey | null = null,
): string[] {
  let head = from;
  return lines.map((line) => {
    const before = parsed(line);
    const chained = chainEntry(alter(before), head);
    const unsigned = chained.line;
    let altered = unsigned;
    if (before.sig !== undefined)
      altered = key === null ? `${unsigned.slice(0, -1)},"sig":"${before.sig}"}` : signRecord(chained, key).line;
    head = { seq: head.seq + 1, hash: sha256Of(altered) };
    return altered;
  });
}

function headOf(line: string | undefined): AuditHead {
  return line === undefined ? EMPTY_CHAIN : { seq: parsed(line).seq, hash: sha256Of(line) };
}

function isSigned(line: string | undefined): boolean {
  return parsed(line).sig !== undefined;
}

describe('verifyAuditFiles with a tampered chain', () => {
  let folder: string;
  let chain: AuditChain;
  /** Lines of the three files, to alter. */
  let lines: string[][];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-tampering-'));
    chain = sampleChain();
    lines = chain.files.map((file) => [...file]);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const place = (name: string) => join(folder, name);
  /** No writer, so no wait for the rest of a line. */
  const verify = (names: readonly string[], options: Partial<AuditVerification> = {}): Promise<AuditVerdict> => {
    const request = { publicKeys: [], checkpoints: [], count: null, onProgress: null };
    return verifyAuditFiles({ files: names.map(place), ...request, ...options }, () => '', 0);
  };
  const write = (texts: readonly (string | Buffer)[]): readonly string[] => {
    for (const [index, text] of texts.entries()) writeFileSync(place(NAMES[index] ?? ''), text);
    return NAMES.slice(0, texts.length);
  };
  const writeLines = () => write(lines.map(textOf));
  /** Stores the checkpoint of a signed line outside. */
  const keepCheckpoint = (line: string | undefined, changes: object = {}): string => {
    const read = readRecord(line ?? '');
    const checkpoint = 'issue' in read ? null : read.checkpoint;
    writeFileSync(place(OUTSIDE), JSON.stringify({ ...checkpoint, ...changes }));
    return place(OUTSIDE);
  };
  const verifyLines = async (options: Partial<AuditVerification> = {}) => (await verify(writeLines(), options)).issue;
  const expectIssue = async (name: string, line: number | null, message: RegExp, options = {}) => {
    const failure = await verifyLines(options);
    expect(failure?.message).to.match(message);
    expect([basename(failure?.file ?? ''), failure?.line]).to.deep.equal([name, line]);
  };
  const fileOf = (index: number): string[] => lines[index] ?? [];

  it('accepts the unaltered chain, with its files in any order', async () => {
    writeLines();
    for (const names of [NAMES, NAMES.toReversed(), ['b.jsonl', 'a.jsonl', 'c.jsonl']]) {
      const { issue, chains } = await verify(names, { publicKeys: [chain.publicKey.toString('base64')] });
      expect(issue).to.equal(null);
      expect(
        chains.map(({ records, checkpoints, covered, uncovered }) => ({ records, checkpoints, covered, uncovered })),
      ).to.deep.equal([{ records: 21, checkpoints: 9, covered: 21, uncovered: 0 }]);
    }
  });

  it('reports a removed, repeated or altered line, or the line after it', async () => {
    const places = chain.files.flatMap((file, index) => file.map((_, line) => [index, line] as const));
    for (const [file, index] of places) {
      const name = NAMES[file] ?? '';
      const own = fileOf(file)[index] ?? '';
      const isLastOfFile = index === fileOf(file).length - 1;
      const isLastOfAll = isLastOfFile && file === 2;
      const next = isLastOfFile ? ([NAMES[file + 1] ?? '', 1] as const) : ([name, index + 2] as const);
      const expectReplaced = async (by: readonly string[], [at, line]: readonly [string, number], message: RegExp) => {
        fileOf(file).splice(index, 1, ...by);
        await expectIssue(at, line, message);
        lines = chain.files.map((original) => [...original]);
      };
      await expectReplaced([own, own], [name, index + 2], /it was altered, repeated or moved$/);
      if (isLastOfAll) continue;
      const removed = /missing before it$|is missing between|begins a file but is not a segment/;
      await expectReplaced([], isLastOfFile ? next : [name, index + 1], removed);
      const [altered = ''] = rechained([own], headOf(chain.lines[parsed(own).seq - 2]), (record) => ({
        ...record,
        durationMs: 7777,
      }));
      const shown = /prevHash is not the hash of record|has a signature that the audit key did not/;
      await expectReplaced([altered], isSigned(own) ? [name, index + 1] : next, shown);
    }
  });

  describe('with recomputed hashes', () => {
    const alterThird = (record: AuditRecord) => (record.seq === 3 ? { ...record, accountId: 'other' } : record);

    it('reports the next signature, kept or made with another key', async function () {
      this.timeout(60_000);
      const forger = createAuditKey();
      const alterations = fc.record({
        index: fc.nat(20),
        changes: fc.constantFrom<Partial<AuditRecord>>(
          ...[{ accountId: 'other' }, { durationMs: 7777 }, { outcome: 'failed' as const }, { time: timeOf(99) }],
          ...[{ signatureDigest: sha256Of('other') }, { data: { amount: '2' } }],
        ),
        key: fc.constantFrom(null, forger),
      });
      await fc.assert(
        fc.asyncProperty(alterations, async ({ index, changes, key }) => {
          fc.pre(!('data' in changes) || parsed(chain.lines[index]).event !== 'segment');
          const altered = rechained(
            chain.lines.slice(index),
            headOf(chain.lines[index - 1]),
            (record) => (record.seq === index + 1 ? { ...record, ...changes } : record),
            key,
          );
          const all = [...chain.lines.slice(0, index), ...altered];
          lines = [all.slice(0, 8), all.slice(8, 15), all.slice(15)];
          const signed = chain.lines.findIndex((line, at) => at >= index && isSigned(line));
          const [file, before] = signed < 8 ? [0, 0] : signed < 15 ? [1, 8] : [2, 15];
          await expectIssue(NAMES[file] ?? '', signed - before + 1, FORGED);
        }),
      );
    });

    it('reports the next signature copied from another record', async () => {
      const taken = parsed(chain.files[1]?.[4]).sig;
      const own = parsed(chain.files[0]?.[5]).sig;
      lines = [chain.lines.slice(0, 8).map((line) => line.replace(own ?? '', taken ?? ''))];
      await expectIssue('a.jsonl', 6, FORGED);
    });

    it('reports a malformed signature', async () => {
      for (const sig of ['null', '7', '""', '"AAAA"', `"${'A'.repeat(86)}=="`]) {
        const sixth = chain.lines[5]?.replace(/"sig":"[^"]+"/, `"sig":${sig}`) ?? '';
        lines = [[...chain.lines.slice(0, 5), sixth]];
        await expectIssue('a.jsonl', 6, /^has a signature that the audit key did not create|^is not an audit record/);
      }
    });

    it('counts records whose signatures were removed as uncovered', async () => {
      const [first = '', ...others] = chain.lines.slice(0, 8);
      let head = headOf(first);
      const unsigned = others.map((line) => {
        const chained = chainEntry(alterThird(parsed(line)), head);
        head = chained.head;
        return chained.line;
      });
      lines = [[first, ...unsigned]];
      const { issue, chains } = await verify(writeLines());
      expect(issue).to.equal(null);
      expect(chains[0]).to.include({ covered: 1, uncovered: 7 });
    });

    it('reports a forged file with its own key, given the public key', async () => {
      const forger = createAuditKey();
      const { seq, hash } = chain.head;
      const forged = new AuditChain({ key: forger, head: { seq, hash }, reason: 'key' });
      forged.append();
      forged.sign();
      lines = [chain.lines.slice(0, 8), chain.lines.slice(8, 15), chain.lines.slice(15)].map((file) => [...file]);
      const names = [...writeLines(), 'd.jsonl'];
      writeFileSync(place('d.jsonl'), forged.text());
      const believed = await verify(names);
      expect(believed.issue).to.equal(null);
      expect(believed.chains[0]?.publicKeys).to.deep.equal(
        [chain.publicKey, forged.publicKey].map((key) => key.toString('base64')),
      );
      const { issue } = await verify(names, { publicKeys: [chain.publicKey.toString('base64')] });
      expect([basename(issue?.file ?? ''), issue?.line]).to.deep.equal(['d.jsonl', 1]);
      expect(issue?.message).to.match(/^contains the audit public key \S+, which is not trusted$/);
    });

    it('reports a forged chain, given the public key', async () => {
      lines = sampleChain(createAuditKey()).files.map((file) => [...file]);
      expect(await verifyLines()).to.equal(null);
      await expectIssue('a.jsonl', 1, /which is not trusted$/, {
        publicKeys: [chain.publicKey.toString('base64')],
      });
    });

    it('reports a forged chain that names the real public key without its signatures', async () => {
      const publicKeys = [chain.publicKey.toString('base64')];
      const own = { publicKey: chain.publicKey, sign: createAuditKey().sign };
      const forged = new AuditChain({ key: own, time: timeOf(0), signsSegments: false });
      for (let count = 0; count < 20; count += 1) forged.append(sampleAuditEntry({ time: timeOf(count) }));
      lines = [[...forged.lines]];
      expect(await verifyLines()).to.equal(null);
      await expectIssue('a.jsonl', 21, /^ends a chain of 21 records without a signature/, { publicKeys });
      forged.sign();
      lines = [[...forged.lines]];
      await expectIssue('a.jsonl', 21, FORGED, { publicKeys });
    });
  });

  describe('file by file', () => {
    it('reports a missing file between two others', async () => {
      writeLines();
      const { issue } = await verify(['a.jsonl', 'c.jsonl']);
      expect([basename(issue?.file ?? ''), issue?.line]).to.deep.equal(['c.jsonl', 1]);
      expect(issue?.message).to.match(/^is record 16: records 9 to 15 are missing between \S+a\.jsonl and this file$/);
    });

    it('reports a missing file although another instance follows', async () => {
      const key = createAuditKey();
      const before = new AuditChain({ key, instanceId: 'one' });
      before.append();
      const later = new AuditChain({ key, instanceId: 'two', head: { seq: 9, hash: `sha256:${'00'.repeat(32)}` } });
      write([before.text(), later.text()]);
      const { issue } = await verify(['a.jsonl', 'b.jsonl']);
      expect([basename(issue?.file ?? ''), issue?.line]).to.deep.equal(['b.jsonl', 1]);
      expect(issue?.message).to.match(/^is record 10: records 3 to 9 are missing between/);
    });

    it('reports a file replaced by another chain of the instance', async () => {
      for (const other of [sampleChain(createAuditKey(), 'spliced'), sampleChain(undefined, 'spliced')]) {
        lines = chain.files.map((file) => [...file]);
        lines[1] = [...(other.files[1] ?? [])];
        await expectIssue(
          'b.jsonl',
          1,
          /^is record 9, but does not follow the end of \S+a\.jsonl: one of the two files was altered/,
        );
      }
    });

    it('reports an inserted file of another chain of the instance', async () => {
      writeLines();
      const other = sampleChain(undefined, 'spliced');
      other.beginSegment('size');
      writeFileSync(place('d.jsonl'), textOf(other.files[2] ?? []));
      writeFileSync(place('e.jsonl'), other.text());
      const replaced = await verify(['a.jsonl', 'b.jsonl', 'd.jsonl']);
      expect(basename(replaced.issue?.file ?? '')).to.equal('d.jsonl');
      const behind = await verify(['a.jsonl', 'b.jsonl', 'e.jsonl']);
      expect(behind.issue?.message).to.match(/^is record 22: records 16 to 21 are missing between/);
      const within = await verify([...NAMES, 'd.jsonl']);
      expect([basename(within.issue?.file ?? ''), within.issue?.line]).to.deep.equal(['d.jsonl', 1]);
      expect(within.issue?.message).to.match(/already extend to record 21: it repeats them or was spliced in$/);
    });

    it('reports two files merged into one', async () => {
      lines = [[...fileOf(0), ...fileOf(1)], fileOf(2)];
      await expectIssue('a.jsonl', 9, /^is a segment record in the middle of a file$/);
    });

    it('reports one file split into two', async () => {
      lines = [fileOf(0).slice(0, 4), fileOf(0).slice(4), fileOf(1)];
      await expectIssue('b.jsonl', 1, /^begins a file but is not a segment record$/);
    });

    it('reports a truncated file that is not the last', async () => {
      fileOf(0).splice(4);
      await expectIssue('b.jsonl', 1, /^is record 9: records 5 to 8 are missing between/);
    });
  });

  describe('against a checkpoint stored elsewhere', () => {
    const key = createAuditKey();

    beforeEach(() => {
      chain = sampleChain(key);
      lines = chain.files.map((file) => [...file]);
    });

    it('reports lost last lines and files, which only the checkpoint shows', async () => {
      const checkpoints = [keepCheckpoint(chain.lines.at(-1))];
      for (let kept = 1; kept < 21; kept += 1) {
        let left = kept;
        lines = chain.files.flatMap((file) => {
          const own = file.slice(0, left);
          left -= own.length;
          return own.length === 0 ? [] : [[...own]];
        });
        expect(await verifyLines(), 'without a checkpoint').to.equal(null);
        const records = kept === 20 ? '1 record was' : `${21 - kept} records were`;
        const message = `^ends with record ${kept}, but the checkpoint of \\S+ in \\S+ covers record 21: ${records} cut off$`;
        await expectIssue(NAMES[lines.length - 1] ?? '', lines.at(-1)?.length ?? 0, new RegExp(message), {
          checkpoints,
        });
      }
    });

    it('reports last records that were rewritten without signatures', async () => {
      const altered = chainEntry({ ...parsed(chain.lines[20]), accountId: 'other' }, headOf(chain.lines[19]));
      fileOf(2).splice(5, 1, altered.line);
      expect(await verifyLines(), 'without a checkpoint').to.equal(null);
      await expectIssue(
        'c.jsonl',
        6,
        /^is record 21, but its hash differs from that in the checkpoint of \S+ in \S+: the file was rewritten$/,
        { checkpoints: [keepCheckpoint(chain.lines.at(-1))] },
      );
    });

    it('reports missing files that the checkpoint covers', async () => {
      writeLines();
      expect((await verify(['b.jsonl', 'c.jsonl'])).chains[0]?.first.seq).to.equal(9);
      const { issue } = await verify(['b.jsonl', 'c.jsonl'], { checkpoints: [keepCheckpoint(chain.lines[5])] });
      expect([basename(issue?.file ?? ''), issue?.line]).to.deep.equal(['b.jsonl', 1]);
      expect(issue?.message).to.match(
        /^begins with record 9, but the checkpoint of \S+ in \S+ covers record 6: include the earlier files$/,
      );
    });

    it('reports the chain cut before the checkpoint, despite older and newer chains of the instance', async () => {
      const others = ['2026-11-19T08:49:00.000Z', '2026-11-21T08:49:00.000Z'].map((time) => {
        const other = new AuditChain({ key, time });
        other.append();
        return [...(other.files[0] ?? [])];
      });
      lines = [others[0] ?? [], chain.lines.slice(0, 8), others[1] ?? []];
      await expectIssue('b.jsonl', 8, /^ends with record 8, .* 13 records were cut off$/, {
        checkpoints: [keepCheckpoint(chain.lines.at(-1))],
      });
    });

    it('reports a checkpoint of another chain', async () => {
      const other = createAuditKey();
      const elsewhere = new AuditChain({ key: other, instanceId: 'elsewhere', head: headOf(chain.lines[20]) });
      const checkpoints = [keepCheckpoint(elsewhere.lines[0])];
      await expectIssue(
        OUTSIDE,
        null,
        /^contains a checkpoint of record 22 of instance elsewhere, to which none of the given files belongs$/,
        {
          checkpoints,
          publicKeys: [chain.publicKey, Buffer.from(other.publicKey)].map((one) => one.toString('base64')),
        },
      );
    });

    it('reports a forged or foreign checkpoint', async () => {
      await expectIssue(OUTSIDE, null, /^contains a checkpoint of record 21 that no key of these files signed/, {
        checkpoints: [keepCheckpoint(sampleChain(createAuditKey()).lines.at(-1))],
      });
      const sig = parsed(chain.lines[0]).sig;
      for (const changes of [{ instanceId: 'instance-2' }, { hash: sha256Of('other') }, { sig }]) {
        await expectIssue(OUTSIDE, null, /^contains a checkpoint of record 21 that no key of these files signed/, {
          checkpoints: [keepCheckpoint(chain.lines.at(-1), changes)],
        });
      }
    });
  });

  describe('anywhere', function () {
    // Every run writes and verifies files.
    this.timeout(300_000);
    /** Replaces a range of bytes. */
    const edits = fc.record({
      file: fc.nat(2),
      from: fc.nat(1_000_000),
      length: fc.oneof(fc.constantFrom(0, 1), fc.nat(3000), fc.constant(1_000_000)),
      kind: fc.constantFrom('bytes', 'flip', 'copy', 'whitespace', 'nothing'),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
      blank: fc.constantFrom(' ', '\n', '\r', '\t', '\r\n', '\ufeff', '\u00a0', '\u2028'),
      atLineEnd: fc.boolean(),
    });

    it('reports the first altered line or the next, and a cut at a line end only by a checkpoint', async () => {
      const originals = chain.files.map((file) => Buffer.from(textOf(file)));
      const checkpoints = [keepCheckpoint(chain.lines.at(-1))];
      await fc.assert(
        fc.asyncProperty(edits, fc.boolean(), async (edit, isCompressed) => {
          const edited = originals.map((text, index) => (index === edit.file ? applied(edit, text) : text));
          fc.pre(isAltered(originals, edited));
          const names = write(edited.map((text) => (isCompressed ? gzipSync(text) : text)));
          const { issue } = await verify(names, { checkpoints });
          const places = expectedPlaces(originals, edited, edit.file);
          expect(places).to.deep.include([basename(issue?.file ?? ''), issue?.line]);
          const { issue: shown } = await verify(names);
          expect(shown === null).to.equal(isCutAtLineEnd(originals[2], edited[2]) && edit.file === 2);
        }),
      );
    });

    it('reports reordered and removed lines', async () => {
      const original = chain.files[0] ?? [];
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray([...original], { minLength: 1 }), async (shuffled) => {
          fc.pre(!original.join('\n').startsWith(shuffled.join('\n')));
          const { issue } = await verify(write([textOf(shuffled)]));
          const first = shuffled.findIndex((line, index) => line !== original[index]);
          expect(issue?.line).to.equal(first + 1);
        }),
        { numRuns: 20 },
      );
    });
  });

  it('changes no file', async () => {
    writeLines();
    appendFileSync(place('c.jsonl'), 'torn');
    await verify(NAMES);
    expect(readdirSync(folder).toSorted()).to.deep.equal(NAMES);
  });

  it('reports a chain that begins with an impossible record', async () => {
    const hash = `sha256:${'00'.repeat(32)}`;
    for (const [head, message] of [
      [{ seq: 4, hash: null }, /^is record 5 but has no prevHash, which only record 1 lacks$/],
      [{ seq: 0, hash }, /^is record 1, but does not follow/],
    ] as const) {
      lines = [[...new AuditChain({ head }).lines]];
      await expectIssue('a.jsonl', 1, message);
    }
  });

  it('reports a record signed by the key of an earlier file', async () => {
    chain.beginSegment('key', createAuditKey());
    const { line } = signRecord(chainEntry(sampleAuditEntry(), chain.head), KEY);
    lines = chain.files.slice(2).map((file) => [...file]);
    expect(await verifyLines()).to.equal(null);
    fileOf(1).push(line);
    await expectIssue('b.jsonl', 2, FORGED);
  });

  it('reports a malformed public key', async () => {
    const entry = { ...parsed(chain.lines[0]) };
    const data = { ...segmentData('first', chain.publicKey), auditPublicKey: 'AAAA' };
    lines = [rechained([chain.lines[0] ?? ''], EMPTY_CHAIN, () => ({ ...entry, data }))];
    await expectIssue('a.jsonl', 1, /^begins a file but contains no audit public key$/);
  });
});

interface Edit {
  readonly from: number;
  readonly length: number;
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly blank: string;
  readonly atLineEnd: boolean;
}

function applied(edit: Edit, text: Buffer): Buffer {
  const anywhere = edit.from % (text.length + 1);
  const from = edit.atLineEnd ? text.lastIndexOf('\n', anywhere) + 1 : anywhere;
  const to = Math.min(text.length, from + edit.length);
  return Buffer.concat([text.subarray(0, from), replacement(edit, text.subarray(from, to)), text.subarray(to)]);
}

function replacement({ kind, bytes, blank }: Edit, old: Buffer): Uint8Array {
  if (kind === 'bytes') return bytes;
  if (kind === 'whitespace') return Buffer.concat([old, Buffer.from(blank)]);
  if (kind === 'flip') return old.map((byte, index) => byte ^ (bytes[index % bytes.length] ?? 0));
  if (kind === 'copy') return Buffer.concat([old, old]);
  return new Uint8Array();
}

function isCutAtLineEnd(original: Buffer | undefined, edited: Buffer | undefined): boolean {
  if (original === undefined || edited === undefined || edited.length === 0) return false;
  return edited.at(-1) === 0x0a && original.subarray(0, edited.length).equals(edited);
}

/** Emptied files are tested separately: they may be another program's. */
function isAltered(originals: readonly Buffer[], edited: readonly Buffer[]): boolean {
  return (
    edited.every(({ length }) => length > 0) && edited.some((text, index) => !text.equals(originals[index] ?? text))
  );
}

/** The first differing line and the next, or the end of the truncated file. */
function expectedPlaces(
  originals: readonly Buffer[],
  edited: readonly Buffer[],
  file: number,
): readonly (readonly [string, number])[] {
  const text = edited[file] ?? Buffer.alloc(0);
  const [before, after] = [linesWithEnds(originals[file] ?? text), linesWithEnds(text)];
  const index = after.findIndex((line, at) => line !== before[at]);
  const name = NAMES[file] ?? '';
  const next: [string, number] = [NAMES[file + 1] ?? '', 1];
  // Another number in its first line moves a file, which leaves a gap before the next one.
  if (index === 0) return [[name, 1], [name, 2], next];
  if (index !== -1) return [[name, index + 1], index === after.length - 1 ? next : [name, index + 2]];
  return [file === 2 ? [name, after.length] : next];
}

function linesWithEnds(text: Buffer): readonly string[] {
  return text.toString('latin1').split(/(?<=\n)/);
}
