import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type ReadRecord, readRecord } from '../../../src/audit-trail/read-record.ts';
import { chainEntry, signRecord } from '../../../src/audit-trail/signed-record.ts';
import { createAuditKey } from '../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };

function faultOf(line: string): string | null {
  const read = readRecord(line);
  return 'fault' in read ? read.fault : null;
}

describe('readRecord', () => {
  const { line } = chainEntry(sampleAuditEntry(), HEAD);
  const signed = signRecord(chainEntry(sampleAuditEntry({ principal: 'CN=“a”' }), HEAD), createAuditKey());

  it('reads what a record says, and the hash of its line', () => {
    expect(readRecord(line)).to.deep.equal({
      ...sampleAuditEntry(),
      v: 2,
      seq: 42,
      prevHash: HEAD.hash,
      hash: `sha256:${createHash('sha256').update(line).digest('hex')}`,
      checkpoint: null,
    });
  });

  it('reads of a signed record what was signed: the hash of its line up to the signature', () => {
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

  it('has another hash for every other byte, so that no second form of a record passes', () => {
    const { hash } = readRecord(line) as ReadRecord;
    for (const other of [` ${line}`, `${line} `, line.replace('1.25', '1.250'), line.replace('"seq":', '"seq": ')]) {
      expect((readRecord(other) as ReadRecord).hash, other.slice(0, 30)).to.not.equal(hash);
    }
  });

  it('reads a signature in one spelling only, at the end of the line: nothing else covers its bytes', () => {
    const { sig } = JSON.parse(signed.line);
    const unsigned = line.slice(0, -1);
    for (const other of [
      `${unsigned},"sig":"${sig}" }`,
      `${unsigned},"sig":"${sig}"} `,
      `${unsigned},"sig":"short"}`,
      // Only two bits of its 86th digit count: a lenient decoder reads the same bytes.
      `${unsigned},"sig":"${sig.replace(/.==$/, 'B==')}"}`,
    ]) {
      expect(readRecord(other), other.slice(-20)).to.deep.equal({ fault: 'is not an audit record' });
    }
  });

  it('finds no record in a line that lacks a field, has another, or a value of another type', () => {
    const record = JSON.parse(line);
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const { time, ...others } = record;
    const { sig, ...unsigned } = JSON.parse(signed.line);
    for (const name of Object.keys(record)) {
      const { [name]: _, ...rest } = record;
      expect(faultOf(JSON.stringify(rest)), name).to.equal('is not an audit record');
      expect(faultOf(JSON.stringify({ ...record, [name]: ['no value'] })), name).to.equal('is not an audit record');
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
      expect(faultOf(other), other.slice(0, 40)).to.equal('is not an audit record');
    }
  });

  it('says of which version a line of another format is', () => {
    const { v, ...fields } = JSON.parse(line);
    const { data, prevHash } = fields;
    for (const [version, other] of [
      [1, { ...fields, hash: HEAD.hash }],
      [1, { seq: 1, data, prevHash, hash: HEAD.hash }],
      [1, { v: 1, ...fields }],
      [3, { v: 3, seq: 7, digest: 'unheard' }],
    ] as const) {
      const fault = `is of audit format version ${version}; this release reads version ${v}`;
      expect(faultOf(JSON.stringify(other))).to.equal(fault);
    }
  });
});
