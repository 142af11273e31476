import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import type { AuditSigningKey } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditVerifier } from '../../../../../src/adapters/audit/verifier/audit-verifier.ts';
import type { AuditVerification } from '../../../../../src/domain/model/audit-verdict.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

/** No writer, so no wait for the rest of a line. */
const verifier = new AuditVerifier({ auditFile: () => '', lineTimeoutMs: 0 });

// tests/property/audit-tampering.test.ts covers alterations.
describe('AuditVerifier with given files', () => {
  const key = createAuditKey();
  let folder: string;
  let chain: AuditChain;
  let files: readonly string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-verifier-'));
    chain = longChain(key, 'one');
    files = await put(chain, 'one');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function store(name: string, text: string | Uint8Array): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  const put = (of: AuditChain, prefix: string) =>
    Promise.all(of.files.map((_, index) => store(`${prefix}-${index}.jsonl`, of.text(index))));
  const verify = (options: Partial<AuditVerification> = {}) =>
    verifier.verify({ files, publicKeys: [], checkpoints: [], count: null, onProgress: null, ...options });

  it('reports for each verified chain: files, instances, keys, records, events, signatures', async () => {
    const { issue, chains, reached, bytes } = await verify({ files: files.toReversed() });
    const { time } = sampleAuditEntry();
    expect(issue).to.equal(null);
    expect(reached).to.deep.equal([]);
    expect(bytes).to.equal(Buffer.byteLength(chain.text(0) + chain.text(1)));
    expect(chains).to.deep.equal([
      {
        files: [
          { file: files[0], first: { seq: 1, time }, last: { seq: 6, time } },
          { file: files[1], first: { seq: 7, time }, last: { seq: 9, time } },
        ],
        instanceIds: ['one', 'one-b'],
        publicKeys: [chain.publicKey.toString('base64')],
        first: { seq: 1, time },
        last: { seq: 9, time, hash: chain.head.hash },
        records: 9,
        events: {
          sign: { success: 3, refused: 2, failed: 1 },
          start: { success: 1, refused: 0, failed: 0 },
        },
        checkpoints: 3,
        covered: 7,
        uncovered: 2,
        clockSetBacks: null,
      },
    ]);
  });

  it('distinguishes chains of two instances with one key, and two chains of one instance', async () => {
    const others = await put(longChain(key, 'two'), 'two');
    const again = await put(longChain(key, 'one', '2026-11-20T08:00:00.000Z'), 'again');
    const { issue, chains } = await verify({ files: [...files, ...others, ...again] });
    expect(issue).to.equal(null);
    expect(chains).to.have.lengthOf(3);
  });

  it('verifies gzip files like their content, mixed with others', async () => {
    const plain = await verify();
    const compressed = [
      await store('one-0.jsonl.gz', gzipSync(chain.text(0))),
      await store('one-1.jsonl.gz', gzipSync(chain.text(1))),
    ];
    for (const given of [compressed, [compressed[0] ?? '', files[1] ?? ''], [compressed[1] ?? '', files[0] ?? '']]) {
      const { issue, chains, bytes } = await verify({ files: given });
      expect(issue).to.equal(null);
      expect(bytes).to.equal(plain.bytes);
      expect(chains[0]).to.deep.include({ records: 9, last: plain.chains[0]?.last });
      expect(chains[0]?.files.map(({ file }) => file)).to.have.members(given);
    }
  });

  it('verifies gzip files of several members, as made by appending', async () => {
    const halves = [chain.text(0).slice(0, 700), chain.text(0).slice(700)];
    const file = await store('one.gz', Buffer.concat(halves.map((half) => gzipSync(half))));
    const { issue, chains } = await verify({ files: [file] });
    expect([issue, chains[0]?.records]).to.deep.equal([null, 6]);
  });

  it('names a truncated or damaged gzip file', async () => {
    const bytes = gzipSync(chain.text(1));
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6);
    for (const [damaged, message] of [
      [bytes.subarray(0, bytes.length - 3), /^is a truncated gzip file/],
      [bytes.subarray(0, 12), /^is a truncated gzip file/],
      [flipped, /^is a damaged gzip file/],
      [Buffer.concat([bytes.subarray(0, 10), Buffer.alloc(90, 0xff)]), /^is a damaged gzip file/],
      [Buffer.concat([bytes, Buffer.from('{"v":2}')]), /^is a damaged gzip file/],
    ] as const) {
      const file = await store('damaged.gz', damaged);
      const { issue } = await verify({ files: [files[0] ?? '', file] });
      expect(issue).to.deep.include({ file, line: null });
      expect(issue?.message).to.match(message);
    }
  });

  it('stops at a line that is too long, however far a gzip file expands', async () => {
    const bomb = Buffer.alloc(16 * 1024 * 1024, 'x');
    const alone = await store('alone.gz', gzipSync(bomb));
    const after = await store('after.gz', gzipSync(Buffer.concat([Buffer.from(chain.text(0)), bomb])));
    expect((await verify({ files: [alone] })).issue).to.deep.include({ file: alone, line: 1 });
    const { issue, bytes } = await verify({ files: [after] });
    expect(issue).to.deep.include({ file: after, line: 7, message: 'is not an audit record' });
    expect(bytes).to.be.below(2 * 1024 * 1024);
  });

  it('requires one of the given keys, as PEM or base64', async () => {
    const pem = await store('key.pub', pemOf(chain.publicKey));
    const other = Buffer.from(createAuditKey().publicKey).toString('base64');
    expect((await verify({ publicKeys: [pem] })).issue).to.equal(null);
    expect((await verify({ publicKeys: [other, chain.publicKey.toString('base64')] })).issue).to.equal(null);
    expect((await verify({ publicKeys: [other] })).issue).to.deep.include({ file: files[0], line: 1 });
  });

  it('requires a signature in each chain if keys are given', async () => {
    const unsigned = new AuditChain({ key, instanceId: 'two', signsSegments: false });
    const [file = ''] = await put(unsigned, 'two');
    const publicKeys = [chain.publicKey.toString('base64')];
    expect((await verify({ files: [...files, file] })).issue).to.equal(null);
    expect((await verify({ files: [...files, file], publicKeys })).issue).to.deep.include({ file, line: 1 });
  });

  it('accepts an external checkpoint as an audit line, a service log line or other JSON', async () => {
    const line = chain.lines.findLast((text) => text.includes('"sig":')) ?? '';
    const read = readRecord(line);
    const checkpoint = 'issue' in read ? null : read.checkpoint;
    const forms = [
      line,
      `${line}\r\n`,
      JSON.stringify(checkpoint),
      `not JSON\n${JSON.stringify({ level: 'info', message: 'Audit checkpoint.', ...checkpoint })}\n{"other":1}\n`,
      JSON.stringify({ data: { audit: [{ checkpoint }] } }, null, 2),
    ];
    for (const [index, form] of forms.entries()) {
      const path = await store(`checkpoint-${index}.txt`, form);
      const { issue, reached } = await verify({ checkpoints: [path] });
      expect(issue, form).to.equal(null);
      expect(reached).to.deep.equal([
        { file: path, instanceId: 'one', seq: 7, time: sampleAuditEntry().time, matching: 1, earlier: 0 },
      ]);
      const cut = await verify({ files: files.slice(0, 1), checkpoints: [path] });
      expect(cut.issue).to.deep.include({ file: files[0], line: 6 });
    }
  });

  it('compares every checkpoint of a file, and names the newest that matches', async () => {
    const lines = checkpointLines(chain);
    expect(lines).to.have.lengthOf(3);
    const path = await store('checkpoints.jsonl', `${lines.join('\n')}\n{"seq":`);
    const { issue, reached } = await verify({ checkpoints: [path] });
    expect(issue).to.equal(null);
    expect(reached).to.deep.equal([
      { file: path, instanceId: 'one', seq: 7, time: sampleAuditEntry().time, matching: 3, earlier: 0 },
    ]);
    const cut = await verify({ files: files.slice(0, 1), checkpoints: [path] });
    expect(cut.issue).to.deep.include({ file: files[0], line: 6 });
    const rewritten = JSON.stringify({ ...JSON.parse(lines[1] ?? ''), hash: `sha256:${'0'.repeat(64)}` });
    const forged = await store('forged.jsonl', [lines[0], rewritten, lines[2]].join('\n'));
    expect((await verify({ checkpoints: [forged] })).issue?.message).to.include('it is forged');
  });

  it('counts checkpoints of older files that were not given, if a later one matches', async () => {
    const lines = checkpointLines(chain);
    const path = await store('checkpoints.jsonl', lines.join('\n'));
    const { issue, reached } = await verify({ files: files.slice(1), checkpoints: [path] });
    expect(issue).to.equal(null);
    expect(reached).to.deep.equal([
      { file: path, instanceId: 'one', seq: 7, time: sampleAuditEntry().time, matching: 1, earlier: 2 },
    ]);
    const early = await store('early.jsonl', lines.slice(0, 2).join('\n'));
    const { issue: missing } = await verify({ files: files.slice(1), checkpoints: [early] });
    expect(missing?.message).to.include('include the earlier files');
  });

  it('rejects an unreadable or invalid input file, and names it', async () => {
    const wrong = await store('wrong.txt', 'something else');
    const missing = `${wrong}.missing`;
    for (const options of [
      { files: [...files, missing] },
      { publicKeys: [missing] },
      { publicKeys: [wrong] },
      { checkpoints: [missing] },
      { checkpoints: [wrong] },
    ]) {
      const error = await verify(options).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error)).to.include(JSON.stringify(options).includes('missing') ? missing : wrong);
    }
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
