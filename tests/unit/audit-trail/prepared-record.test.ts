import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AuditRecord,
  EMPTY_CHAIN,
  MAX_LINE_BYTES,
  type RecordEntry,
} from '../../../src/audit-trail/audit-record.ts';
import { chainRecord, lineOf, prepareRecord } from '../../../src/audit-trail/prepared-record.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';
import { HOSTILE, jsonObject } from '../../property/json-arbitraries.ts';

const HEAD = { seq: 6, hash: `sha256:${'5c'.repeat(32)}` };

function recordOf(fields: Partial<RecordEntry> & { readonly [extra: string]: unknown }): AuditRecord {
  return JSON.parse(chainRecord(prepareRecord({ ...sampleAuditEntry(), ...fields } as RecordEntry), HEAD).line);
}

describe('a record of the audit file', () => {
  it('has every field, in the documented order, and what the entry says in them', () => {
    const entry = sampleAuditEntry();
    const record = recordOf({ ...entry });
    expect(Object.keys(record)).to.deep.equal(
      (
        'seq time event outcome errorCode platformId accountId algorithm payloadDigest signatureDigest data correlationId ' +
        'traceparent batchRequestId principal remoteAddress durationMs instanceId prevHash hash'
      ).split(' '),
    );
    expect(record).to.deep.include({ ...entry, seq: 7, prevHash: HEAD.hash });
  });

  it('has the traceparent behind the correlationId where the caller sent one, and no such field where it did not', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const names = Object.keys(recordOf({ traceparent }));
    expect(names.slice(names.indexOf('correlationId'), names.indexOf('batchRequestId') + 1)).to.deep.equal([
      'correlationId',
      'traceparent',
      'batchRequestId',
    ]);
    const { hash, ...content } = recordOf({ traceparent });
    expect(content.traceparent).to.equal(traceparent);
    expect(hash).to.equal(
      `sha256:${createHash('sha256')
        .update(canonicalize(content) ?? '')
        .digest('hex')}`,
    );
    expect(recordOf({ traceparent: null })).not.to.have.property('traceparent');
    expect(recordOf({ traceparent: `${traceparent}\n` })).to.include({ traceparent: '[unfit]' });
  });

  it('is record 1 without a hash before it at the beginning of a chain', () => {
    const { line, head } = chainRecord(prepareRecord(sampleAuditEntry()), EMPTY_CHAIN);
    expect(JSON.parse(line)).to.include({ seq: 1, prevHash: null });
    expect(head).to.deep.equal({ seq: 1, hash: JSON.parse(line).hash });
  });

  it('has the hash of RFC 8785 over all of it but the hash', () => {
    const { hash, ...content } = recordOf({ principal: 'é\u2028"' });
    expect(hash).to.equal(
      `sha256:${createHash('sha256')
        .update(canonicalize(content) ?? '')
        .digest('hex')}`,
    );
  });

  it('has no field that the entry carries beside the fixed ones', () => {
    expect(recordOf({ privateKey: 'secret', toJSON: () => 'other' })).to.not.have.any.keys('privateKey', 'toJSON');
  });

  it('is one line, whose characters neither end it for other readers nor steer a terminal', () => {
    const hostile = '\n\r\u0000\u001b[2J\u007f\u0085\u009b\u2028\u2029\u202e\u2066';
    const { line } = chainRecord(
      prepareRecord(sampleAuditEntry({ principal: hostile, data: { [hostile]: hostile } })),
      HEAD,
    );
    expect(line).to.match(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).to.deep.include({ principal: hostile, data: { [hostile]: hostile } });
  });

  it('leaves other characters as they are', () => {
    const { line } = chainRecord(prepareRecord(sampleAuditEntry({ principal: 'Zoë 😀 “x”' })), HEAD);
    expect(line).to.include('"principal":"Zoë 😀 “x”"');
  });

  it('says [unfit] where a value does not fit the pattern of its field, so that nothing can be brought into a line', () => {
    const unfit = ['', 'a b', 'a\n', '-a', 'é', 'x'.repeat(129)];
    for (const field of ['platformId', 'accountId', 'correlationId', 'instanceId'] as const) {
      for (const value of unfit) expect(recordOf({ [field]: value })[field], value).to.equal('[unfit]');
    }
    for (const value of ['', 'a b', 'é', 'x'.repeat(129)])
      expect(recordOf({ batchRequestId: value }).batchRequestId).to.equal('[unfit]');
    for (const value of ['', '::1 ', '10.0.0.1\n'])
      expect(recordOf({ remoteAddress: value }).remoteAddress).to.equal('[unfit]');
    const digests = ['', `sha256:${'0A'.repeat(32)}`, `sha256:${'0a'.repeat(31)}0"`, `sha256:${'0a'.repeat(32)}\n`];
    for (const value of digests) {
      expect(recordOf({ payloadDigest: value, signatureDigest: value })).to.include({
        payloadDigest: '[unfit]',
        signatureDigest: '[unfit]',
      });
    }
    expect(recordOf({ platformId: null, batchRequestId: '!"~' })).to.include({
      platformId: null,
      batchRequestId: '!"~',
    });
  });

  it('shortens a principal to 1024 characters and mends what has no UTF-8 form', () => {
    expect(recordOf({ principal: 'x'.repeat(5000) }).principal).to.equal('x'.repeat(1024));
    expect(recordOf({ principal: 'a\ud800b' }).principal).to.equal('a\ufffdb');
    expect(recordOf({ principal: `${'x'.repeat(1023)}😀` }).principal).to.equal(`${'x'.repeat(1023)}\ufffd`);
  });

  it('notes that data was left out that is too long, or that JSON can not hold', () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(recordOf({ data: { text: 'x'.repeat(100_000) } }).data).to.deep.equal({ omitted: 'too long' });
    expect(recordOf({ data: { text: '\u0085'.repeat(9000) } }).data).to.deep.equal({ omitted: 'too long' });
    expect(recordOf({ data: { text: 'x'.repeat(49_000) } }).data).to.have.property('text');
    for (const data of [circular, { big: 1n }, { missing: undefined }, { call: () => 1 }]) {
      expect(recordOf({ data: data as never }).data).to.deep.equal({ omitted: 'can not be written as JSON' });
    }
  });

  it('is never longer than a line may be', () => {
    const long = '\u0085'.repeat(10_000);
    const fields = {
      principal: long,
      data: { text: '\u0085'.repeat(8170) },
      correlationId: 'c'.repeat(128),
      batchRequestId: '"'.repeat(128),
    };
    const { line } = chainRecord(prepareRecord(sampleAuditEntry(fields)), {
      ...HEAD,
      seq: Number.MAX_SAFE_INTEGER - 1,
    });
    expect(JSON.parse(line).data).to.have.property('text');
    expect(Buffer.byteLength(line) + 1).to.be.at.most(MAX_LINE_BYTES);
  });

  it('takes down what the entry says at that moment', () => {
    const data = { nonce: 1 };
    const prepared = prepareRecord(sampleAuditEntry({ data }));
    data.nonce = 2;
    expect(JSON.parse(chainRecord(prepared, HEAD).line).data).to.deep.equal({ nonce: 1 });
  });

  it('is written again from what was read to the same line, whatever the data', () => {
    fc.assert(
      fc.property(jsonObject(HOSTILE), fc.string({ unit: 'binary' }), (data, principal) => {
        const chained = chainRecord(prepareRecord(sampleAuditEntry({ data, principal })), HEAD);
        expect(lineOf(JSON.parse(chained.line))).to.deep.equal(chained);
      }),
      { numRuns: 300 },
    );
  });
});
