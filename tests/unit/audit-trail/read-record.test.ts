import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { EMPTY_CHAIN, RECORD_EVENTS, type RecordEntry } from '../../../src/audit-trail/audit-record.ts';
import { chainRecord, prepareRecord } from '../../../src/audit-trail/prepared-record.ts';
import { type ReadRecord, readRecord } from '../../../src/audit-trail/read-record.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const HASH = `sha256:${'5c'.repeat(32)}`;
const ALTERED = 'was altered: its content does not have the hash that it says';
const NOT_AS_WRITTEN = 'was altered: it is not written as the service writes it';

function lineOf(fields: Partial<RecordEntry> = {}, head = { seq: 41, hash: HASH }): string {
  return chainRecord(prepareRecord({ ...sampleAuditEntry(), ...fields } as RecordEntry), head).line;
}

/** A line with the hash that its own content has, computed with other code, whatever it says. */
function rehashed(record: { readonly [name: string]: unknown }): string {
  const { hash: _, ...rest } = record;
  const digest = createHash('sha256')
    .update(canonicalize(rest) ?? '')
    .digest('hex');
  return JSON.stringify({ ...rest, hash: `sha256:${digest}` });
}

function faultOf(line: string): string | null {
  const read = readRecord(line);
  return 'fault' in read ? read.fault : null;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom('a"b', '\\', '\u2028', '\u0085', '\u202e'),
);
const entries: fc.Arbitrary<RecordEntry> = fc.record({
  time: fc
    .date({ min: new Date(0), max: new Date('9998-01-01T00:00:00.000Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  event: fc.constantFrom(...RECORD_EVENTS),
  outcome: fc.constantFrom('success', 'refused', 'failed'),
  errorCode: fc.option(fc.oneof(fc.constantFrom('ACCOUNT_DISABLED'), fc.stringMatching(/^[A-Z][A-Z0-9_]{0,63}$/))),
  platformId: fc.option(fc.oneof(text, fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/))),
  accountId: fc.option(text),
  algorithm: fc.constantFrom('ed25519', 'eip191', null),
  payloadDigest: fc.constantFrom(HASH, null),
  signatureDigest: fc.constantFrom(HASH, null),
  data: fc.option(fc.dictionary(text, fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<never>)),
  correlationId: fc.option(text),
  traceparent: fc.option(fc.oneof(text, fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/))),
  batchRequestId: fc.option(fc.oneof(text, fc.stringMatching(/^[!-~]{1,128}$/))),
  principal: fc.option(fc.oneof(text, fc.string({ minLength: 1000, maxLength: 1100 }))),
  remoteAddress: fc.option(fc.oneof(text, fc.ipV4(), fc.ipV6())),
  durationMs: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  instanceId: fc.oneof(text, fc.constant('signer-1')),
});

describe('readRecord', () => {
  it('reads what a reader of the chain wants of a record', () => {
    const { line, head } = chainRecord(prepareRecord(sampleAuditEntry()), { seq: 41, hash: HASH });
    expect(readRecord(line)).to.deep.include({
      seq: 42,
      time: '2026-11-20T08:49:00.123Z',
      event: 'sign',
      outcome: 'success',
      platformId: 'alpha',
      accountId: 'main',
      algorithm: 'ed25519',
      instanceId: 'instance-1',
      prevHash: HASH,
      hash: head.hash,
      data: null,
    });
  });

  it('reads the same where something had to be escaped', () => {
    const plain = readRecord(lineOf()) as ReadRecord;
    const escaped = readRecord(lineOf({ principal: 'CN=“quoted” "name"\\' })) as ReadRecord;
    expect({ ...escaped, hash: plain.hash }).to.deep.include(plain);
  });

  it('reads the same of a record with a traceparent, and sees when that was altered, added or taken away', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const without = lineOf({ traceparent: null });
    const line = lineOf({ traceparent });
    expect(line).to.include(`,"traceparent":"${traceparent}",`);
    const { hash, ...plain } = readRecord(without) as ReadRecord;
    expect(readRecord(line)).to.deep.include(plain).and.have.property('hash').that.does.not.equal(hash);
    const field = `"traceparent":"${traceparent}",`;
    for (const altered of [
      line.replace(field, ''),
      line.replace('4bf92f', '4bf92e'),
      without.replace('"batchRequestId"', `${field}"batchRequestId"`),
      line.replace(field, '"traceparent":null,'),
      line.replace(field, '').replace('"principal"', `${field}"principal"`),
    ]) {
      expect(faultOf(altered), altered).to.match(/altered|not an audit record/);
    }
  });

  it('reads the data of the records that the file itself needs, and of no others', () => {
    for (const event of RECORD_EVENTS) {
      for (const data of [{ note: 'plain' }, { note: 'with\na newline' }]) {
        const own = event === 'checkpoint' || event === 'segment';
        expect((readRecord(lineOf({ event, data })) as ReadRecord).data).to.deep.equal(own ? data : null);
      }
    }
  });

  it('reads every record that the service writes, whatever it is about, with the hash that RFC 8785 gives it', () => {
    fc.assert(
      fc.property(entries, fc.option(fc.nat()), (entry, before) => {
        const head = before === null ? EMPTY_CHAIN : { seq: before + 1, hash: HASH };
        const { line, head: next } = chainRecord(prepareRecord(entry), head);
        const { hash, ...content } = JSON.parse(line);
        expect(hash).to.equal(
          `sha256:${createHash('sha256')
            .update(canonicalize(content) ?? '')
            .digest('hex')}`,
        );
        expect(readRecord(line)).to.deep.include({
          seq: next.seq,
          prevHash: head.hash,
          hash,
          time: entry.time,
          event: entry.event,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('finds every flipped bit', () => {
    for (const line of [lineOf(), lineOf({ principal: 'a"b' }), lineOf({ data: null, durationMs: null })]) {
      for (let at = 0; at < line.length; at += 1) {
        for (let bit = 1; bit < 0x80; bit <<= 1) {
          const flipped = String.fromCharCode(line.charCodeAt(at) ^ bit);
          expect(faultOf(line.slice(0, at) + flipped + line.slice(at + 1)), `bit ${bit} at ${at}`).to.not.equal(null);
        }
      }
    }
  });

  it('finds what was inserted, taken out or put at the end, anywhere', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.nat(),
        fc.nat(3),
        fc.oneof(fc.constantFrom('', ' ', '\t', '\r', '\ufeff', '0', ','), text),
        (escaped, at, taken, given) => {
          const line = lineOf(escaped ? { principal: 'a"b' } : {});
          const from = at % (line.length + 1);
          const edited = line.slice(0, from) + given + line.slice(from + taken);
          fc.pre(edited !== line);
          expect(faultOf(edited)).to.not.equal(null);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('says of what is no record that it is none', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const line of [
      '',
      ' ',
      '{}',
      'null',
      '[]',
      '7',
      '"text"',
      '{"seq":1}',
      '{',
      nested(30_000),
      lineOf().slice(1),
    ]) {
      expect(faultOf(line), line.slice(0, 20)).to.equal('is not an audit record');
    }
  });

  it('finds a record with the right hash that the service would have written otherwise', () => {
    const record = JSON.parse(lineOf());
    const { time, ...others } = record;
    for (const line of [
      rehashed({ ...others, time }),
      `${rehashed(record)} `,
      ` ${rehashed(record)}`,
      rehashed(record).replace('"seq":', '"seq": '),
      rehashed({ ...record, platformId: 'al pha' }),
      rehashed({ ...record, extra: null }),
      rehashed({ ...record, seq: 0 }),
      rehashed({ ...record, seq: 1.5 }),
      rehashed({ ...record, event: 'unheard' }),
      rehashed({ ...record, time: '2026-13-01T00:00:00.000Z' }),
      rehashed({ ...record, time: '2026-11-20T24:00:00.000Z' }),
      rehashed({ ...record, prevHash: 'sha256:00' }),
      rehashed({ ...record, principal: 'x'.repeat(1025) }),
    ]) {
      expect(faultOf(line), line).to.be.oneOf(['is not an audit record', ALTERED, NOT_AS_WRITTEN]);
    }
    expect(readRecord(rehashed(record))).to.have.property('seq', 42);
  });

  it('finds data with the right hash of its parsed content that stands in another form', () => {
    const record = JSON.parse(lineOf({ data: { a: 1, b: [true, null] } }));
    const line = rehashed(record);
    for (const data of [
      '{"b":[true,null],"a":1}',
      '{"a":1,"b":[true, null]}',
      '{"a":1.0,"b":[true,null]}',
      '{"a":1,"a":1,"b":[true,null]}',
    ]) {
      expect(faultOf(line.replace('{"a":1,"b":[true,null]}', data)), data).to.equal(NOT_AS_WRITTEN);
    }
    expect(faultOf(line.replace('"durationMs":1.25', '"durationMs":1.250'))).to.equal(NOT_AS_WRITTEN);
    expect(faultOf(line.replace('"durationMs":1.25', '"durationMs":1-25'))).to.equal(NOT_AS_WRITTEN);
    expect(faultOf(line)).to.equal(null);
  });

  it('takes no number that is not exact', () => {
    const record = JSON.parse(lineOf());
    expect(readRecord(rehashed({ ...record, seq: Number.MAX_SAFE_INTEGER }))).to.have.property(
      'seq',
      Number.MAX_SAFE_INTEGER,
    );
    const tooHigh = rehashed({ ...record, seq: 2 ** 53 });
    expect(faultOf(tooHigh)).to.equal('is not an audit record');
  });

  it('keeps nothing of the text in which the line stood in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const file = Buffer.from(`${'x'.repeat(512 * 1024)}\n${lineOf({ accountId: 'a-long-account-id' })}`);
    const kept: object[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 100; count += 1) kept.push(readRecord(file.toString('latin1').split('\n')[1] ?? ''));
    collect();
    expect(kept[99]).to.include({ accountId: 'a-long-account-id' });
    expect(process.memoryUsage().heapUsed - before).to.be.below(10_000_000);
  });

  it('refuses a line whose data imitates the fields behind it over and over', () => {
    const bait = '},"correlationId":null,"batchRequestId":null,"principal":"';
    const line = lineOf({ data: null }).replace('"data":null', `"data":{${bait.repeat(1100)}}`);
    expect(faultOf(line)).to.not.equal(null);
  });
});
