import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { type ReadRecord, readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { signRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditChain, chainEntry, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { sha256 } from '../../../../harness/verified-chain.ts';
import { readProjectFile } from '../../../../project-root.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };

const SCHEMA = readProjectFile('config/audit-record.schema.json');
const matchesSchema = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(SCHEMA));

function getIssue(line: string): string | null {
  const read = readRecord(line);
  return 'issue' in read ? read.issue : null;
}

describe('readRecord', () => {
  const { line } = chainEntry(sampleAuditEntry(), HEAD);
  const signed = signRecord(chainEntry(sampleAuditEntry({ principal: 'CN=“a”' }), HEAD), createAuditKey());

  it('returns a record with the hash of its line', () => {
    expect(readRecord(line)).to.deep.equal({
      ...sampleAuditEntry(),
      v: 2,
      seq: 42,
      prevHash: HEAD.hash,
      hash: sha256(line),
      checkpoint: null,
    });
    for (const other of [` ${line}`, line.replace('1.25', '1.250')])
      expect((readRecord(other) as ReadRecord).hash).to.equal(sha256(other));
  });

  it('returns the checkpoint of a signed record: the hash of its line up to the signature', () => {
    const { checkpoint, hash } = readRecord(signed.line) as ReadRecord;
    expect(checkpoint).to.deep.equal({
      instanceId: 'instance-1',
      seq: 42,
      time: '2026-11-20T08:49:00.123Z',
      hash: sha256(signed.line.slice(0, signed.line.lastIndexOf(',"sig":'))),
      sig: JSON.parse(signed.line).sig,
    });
    expect(hash).to.equal(sha256(signed.line));
  });

  it('accepts only the canonical encoding of a signature, at the end of the line', () => {
    const { sig } = JSON.parse(signed.line);
    const unsigned = line.slice(0, -1);
    for (const other of [
      `${unsigned},"sig":"${sig}" }`,
      `${unsigned},"sig":"${sig}"} `,
      `${unsigned},"sig":"short"}`,
      // Only two bits of the 86th digit count: a lenient decoder reads the same bytes.
      `${unsigned},"sig":"${sig.replace(/.==$/, 'B==')}"}`,
    ]) {
      expect(readRecord(other), other.slice(-20)).to.deep.equal({ issue: 'is not an audit record' });
    }
  });

  it('accepts in each field what the published schema accepts, and neither its absence nor a list', () => {
    const record = JSON.parse(line);
    const scalars = [null, true, 0, 1, 1.5, 2, '', 'sign', 'refused', 'a b', 'main\n', 'CODE', '[invalid]', HEAD.hash];
    const others = [{}, [], 'x'.repeat(1024), 'x'.repeat(1025), '2026-11-20T08:49:00Z', '2026-13-01T00:00:00.000Z'];
    for (const [name, own] of Object.entries(record)) {
      for (const value of [own, ...scalars, ...others]) {
        const other = { ...record, [name]: value };
        const text = JSON.stringify(other);
        expect(getIssue(text) === null, text).to.equal(matchesSchema(other));
      }
      const { [name]: _, ...rest } = record;
      for (const other of [rest, { ...record, [name]: ['no value'] }]) {
        expect(getIssue(JSON.stringify(other)), name).to.equal('is not an audit record');
        expect(matchesSchema(other), name).to.equal(false);
      }
    }
  });

  it('rejects everything that is not all fields in their order', () => {
    const { time, ...others } = JSON.parse(line);
    const { sig, ...unsigned } = JSON.parse(signed.line);
    const added = [
      { ...unsigned, extra: null },
      { ...unsigned, extra: null, sig },
    ];
    const values = [{}, null, [], 7, 'text', { seq: 1 }, { ...others, time }, ...added];
    const texts = ['', ' ', '{', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, line.slice(1)];
    for (const text of [...values.map((value) => JSON.stringify(value)), ...texts])
      expect(getIssue(text), text.slice(0, 40)).to.equal('is not an audit record');
  });

  it('names the version of another format', () => {
    const issue = 'has audit format version 3; this release reads version 2';
    expect(getIssue('{"v":3,"seq":7,"digest":"unheard"}')).to.equal(issue);
  });
});

describe('config/audit-record.schema.json', () => {
  it('accepts every record that the service writes', () => {
    const chain = new AuditChain();
    chain.append();
    const nothing = { durationMs: null, data: null };
    chain.append(sampleAuditEntry({ outcome: 'refused', platformId: 'a b', principal: 'é', ...nothing }));
    chain.sign();
    for (const line of chain.lines) expect(matchesSchema(JSON.parse(line))).to.equal(true);
  });

  it('uses only patterns that other languages have as well', () => {
    const patterns = [...SCHEMA.matchAll(/"pattern": (".*")/g)].map(([, pattern = '']) => JSON.parse(pattern));
    expect(patterns).to.have.length.above(8);
    for (const pattern of patterns) {
      expect(pattern).to.match(/^\^.*\$$/);
      expect(pattern).not.to.match(/\\[pPuk0]|\(\?(?!:)/);
    }
  });
});
