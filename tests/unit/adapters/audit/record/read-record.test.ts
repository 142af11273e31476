import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ReadRecord, readRecord, recordSchema } from '../../../../../src/adapters/audit/record/read-record.ts';
import { chainEntry, signRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };

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
      hash: `sha256:${createHash('sha256').update(line).digest('hex')}`,
      checkpoint: null,
    });
  });

  it('returns the checkpoint of a signed record: the hash of its line up to the signature', () => {
    const { checkpoint, hash } = readRecord(signed.line) as ReadRecord;
    const upToSignature = signed.line.slice(0, signed.line.lastIndexOf(',"sig":'));
    expect(checkpoint).to.deep.equal({
      instanceId: 'instance-1',
      seq: 42,
      time: '2026-11-20T08:49:00.123Z',
      hash: `sha256:${createHash('sha256').update(upToSignature).digest('hex')}`,
      sig: JSON.parse(signed.line).sig,
    });
    expect(hash).to.equal(`sha256:${createHash('sha256').update(signed.line).digest('hex')}`);
  });

  it('returns a different hash if any byte differs', () => {
    const { hash } = readRecord(line) as ReadRecord;
    for (const other of [` ${line}`, `${line} `, line.replace('1.25', '1.250'), line.replace('"seq":', '"seq": ')]) {
      expect((readRecord(other) as ReadRecord).hash, other.slice(0, 30)).to.not.equal(hash);
    }
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

  it('rejects a line with a missing, additional or mistyped field', () => {
    const record = JSON.parse(line);
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const { time, ...others } = record;
    const { sig, ...unsigned } = JSON.parse(signed.line);
    for (const name of Object.keys(record)) {
      const { [name]: _, ...rest } = record;
      expect(getIssue(JSON.stringify(rest)), name).to.equal('is not an audit record');
      expect(getIssue(JSON.stringify({ ...record, [name]: ['no value'] })), name).to.equal('is not an audit record');
    }
    for (const other of [
      JSON.stringify({ ...others, time }),
      JSON.stringify({ ...record, extra: null }),
      JSON.stringify({ ...unsigned, extra: null, sig }),
      JSON.stringify({ ...record, v: null }),
      JSON.stringify({ ...record, v: 1.5 }),
      JSON.stringify({ ...record, seq: 0 }),
      JSON.stringify({ ...record, seq: 1.5 }),
      JSON.stringify({ ...record, event: 'unheard' }),
      JSON.stringify({ ...record, outcome: 'unheard' }),
      JSON.stringify({ ...record, time: '2026-13-01T00:00:00.000Z' }),
      JSON.stringify({ ...record, prevHash: 'sha256:00' }),
      ...['', ' ', '{}', 'null', '[]', '7', '"text"', '{"seq":1}', '{', nested(30_000), line.slice(1)],
    ]) {
      expect(getIssue(other), other.slice(0, 40)).to.equal('is not an audit record');
    }
  });

  it('names the version of another format', () => {
    const { v, ...fields } = JSON.parse(line);
    const { data, prevHash } = fields;
    for (const [version, other] of [
      [1, { ...fields, hash: HEAD.hash }],
      [1, { seq: 1, data, prevHash, hash: HEAD.hash }],
      [1, { v: 1, ...fields }],
      [3, { v: 3, seq: 7, digest: 'unheard' }],
    ] as const) {
      const issue = `has audit format version ${version}; this release reads version ${v}`;
      expect(getIssue(JSON.stringify(other))).to.equal(issue);
    }
  });
});

const PUBLISHED = new URL('../../../../../config/audit-record.schema.json', import.meta.url);

describe('config/audit-record.schema.json', () => {
  const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8'));

  it('describes every field, requires all but the signature, and allows no other', () => {
    const { properties, required, additionalProperties } = published();
    const [signed = ''] = new AuditChain().lines;
    expect(Object.keys(properties)).to.deep.equal(Object.keys(JSON.parse(signed)));
    expect(required).to.deep.equal(Object.keys(properties).filter((name) => name !== 'sig'));
    expect(additionalProperties).to.equal(false);
    for (const [name, property] of Object.entries(properties)) {
      expect(property, name).to.have.property('description').that.is.a('string');
    }
  });

  it('uses only portable patterns', () => {
    const patterns = [...readFileSync(PUBLISHED, 'utf8').matchAll(/"pattern": (".*")/g)].map(([, text = '']) =>
      JSON.parse(text),
    );
    expect(patterns).to.have.length.above(8);
    for (const pattern of patterns) {
      expect(pattern).to.match(/^\^.*\$$/);
      expect(pattern).not.to.match(/\\[pPuk0]/);
      expect(pattern).not.to.match(/\(\?(?!:)/);
    }
  });
});

describe('recordSchema', () => {
  const chain = new AuditChain();
  chain.append();
  chain.append(
    sampleAuditEntry({ outcome: 'refused', platformId: 'a b', principal: 'é', durationMs: null, data: null }),
  );
  chain.sign();
  const records = chain.lines.map((line) => JSON.parse(line));
  const takes = (value: unknown) => recordSchema.safeParse(value).success;

  it('accepts every record that the service writes', () => {
    for (const record of records) expect(takes(record)).to.equal(true);
  });

  it('rejects missing, additional and mismatched fields', () => {
    const [, record] = records;
    for (const name of Object.keys(record)) {
      const { [name]: _, ...rest } = record;
      expect(takes(rest), name).to.equal(false);
      expect(takes({ ...record, [name]: ['no value'] }), name).to.equal(false);
    }
    for (const other of [
      ...[null, 7, 'text', [], {}],
      { ...record, extra: null },
      { ...record, seq: -1 },
      { ...record, v: 1 },
      { ...record, sig: 'short' },
      { ...record, time: '2026-11-20T08:49:00Z' },
      { ...record, data: [] },
    ]) {
      expect(takes(other)).to.equal(false);
    }
  });
});
