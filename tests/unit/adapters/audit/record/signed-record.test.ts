import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from '../../../../../src/adapters/audit/record/record-fields.ts';
import { type RecordEntry, recordContent, recordLine } from '../../../../../src/adapters/audit/record/signed-record.ts';
import type { AuditRecord } from '../../../../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };
const FIELDS =
  'v seq time event outcome errorCode platformId accountId algorithm keyId policy payloadDigest signatureDigest data ' +
  'correlationId traceparent batchRequestId principal remoteAddress durationMs instanceId prevHash';
/** Line ends for some reader (a terminal, Python's splitlines, JavaScript, an editor). */
const ANY_LINE_END = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function lineFor(fields: Partial<RecordEntry> & { readonly [extra: string]: unknown } = {}): string {
  return recordLine(recordContent({ ...sampleAuditEntry(), ...fields } as RecordEntry), HEAD);
}

function recordFor(fields: Partial<RecordEntry> & { readonly [extra: string]: unknown } = {}): AuditRecord {
  return JSON.parse(lineFor(fields));
}

describe('a record of the audit file', () => {
  it('has every field of the entry, in the documented order', () => {
    const record = recordFor();
    expect(Object.keys(record)).to.deep.equal(FIELDS.split(' '));
    expect(record).to.deep.equal({ ...sampleAuditEntry(), v: 2, seq: 42, prevHash: HEAD.hash });
  });

  it('has only the fixed fields, regardless of extra members of the entry', () => {
    const reversed = Object.fromEntries(Object.entries(sampleAuditEntry()).reverse());
    const extra = { privateKey: 'secret', toJSON: () => 'other', sig: 's', seq: 1, prevHash: 'p', message: 'm' };
    expect(lineFor({ ...extra, ...reversed })).to.equal(lineFor());
  });

  it('is one line without line breaks or control characters for any reader', () => {
    const hostile = '\n\r\u0000\u001b[2J\u007f\u0085\u009b\u2028\u2029\u202e\u2066';
    const line = lineFor({ principal: hostile, data: { [hostile]: hostile } });
    expect(line).to.match(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).to.deep.include({ principal: hostile, data: { [hostile]: hostile } });
  });

  it('round-trips any text and data on one line', () => {
    // The unit `binary` of fast-check takes a second or more to set up.
    const text = fc
      .array(fc.nat(0x10_ffff), { maxLength: 40 })
      .map((points) => String.fromCodePoint(...points).replace(/\p{Surrogate}/gu, '?'));
    const data = fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })), {
      noNullPrototype: true,
      maxKeys: 5,
    });
    fc.assert(
      fc.property(text, data, (principal, value) => {
        const entry = sampleAuditEntry({ principal, data: JSON.parse(JSON.stringify(value)) as JsonObject });
        const line = recordLine(recordContent(entry), HEAD);
        expect(line).not.to.match(ANY_LINE_END);
        const { v, seq, prevHash, ...said } = JSON.parse(line);
        expect(said).to.deep.equal(entry);
        expect([v, seq, prevHash]).to.deep.equal([2, 42, HEAD.hash]);
      }),
      { numRuns: 50 },
    );
  });

  it('replaces a value that does not match its pattern with [invalid]', () => {
    const invalid = ['', 'a b', 'a\n', '-a', 'é', 'x'.repeat(129)];
    for (const field of ['platformId', 'accountId', 'correlationId', 'instanceId'] as const) {
      for (const value of invalid) expect(recordFor({ [field]: value })[field], value).to.equal('[invalid]');
    }
    for (const value of ['', 'a b', 'é', 'x'.repeat(129)])
      expect(recordFor({ batchRequestId: value }).batchRequestId).to.equal('[invalid]');
    for (const value of ['', '::1 ', '10.0.0.1\n'])
      expect(recordFor({ remoteAddress: value }).remoteAddress).to.equal('[invalid]');
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n';
    expect(recordFor({ traceparent }).traceparent).to.equal('[invalid]');
    const digests = ['', `sha256:${'0A'.repeat(32)}`, `sha256:${'0a'.repeat(31)}0"`, `sha256:${'0a'.repeat(32)}\n`];
    for (const value of digests) {
      const record = recordFor({ payloadDigest: value, signatureDigest: value });
      expect(record).to.include({ payloadDigest: '[invalid]', signatureDigest: '[invalid]' });
    }
    const fitting = { platformId: null, batchRequestId: '!"~' };
    expect(recordFor(fitting)).to.include(fitting);
  });

  it('shortens a principal to 1024 characters and replaces lone surrogates', () => {
    expect(recordFor({ principal: 'x'.repeat(5000) }).principal).to.equal('x'.repeat(1024));
    expect(recordFor({ principal: 'a\ud800b' }).principal).to.equal('a\ufffdb');
    expect(recordFor({ principal: `${'x'.repeat(1023)}😀` }).principal).to.equal(`${'x'.repeat(1023)}\ufffd`);
  });

  it('replaces data that is too long, too deep or not JSON with a note', () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(recordFor({ data: { text: 'x'.repeat(100_000) } }).data).to.deep.equal({ omitted: 'too long' });
    for (const text of ['\u0085'.repeat(12_000), '中'.repeat(30_000)])
      expect(recordFor({ data: { text } }).data).to.deep.equal({ omitted: 'too long' });
    expect(recordFor({ data: { text: 'x'.repeat(49_000) } }).data).to.have.property('text');
    const deep = JSON.parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`) as JsonObject;
    for (const data of [circular, { big: 1n }, deep]) {
      const { data: said, ...rest } = recordFor({ data: data as never });
      expect(said).to.have.all.keys('omitted');
      expect({ ...rest, data: null }).to.deep.equal(recordFor({ data: null }));
    }
  });

  it('never exceeds the maximum length', () => {
    const long = '\u0085'.repeat(10_000);
    for (let units = 9600; units < 9900; units += 10) {
      const entry = sampleAuditEntry({
        principal: long,
        data: { text: '\u0085'.repeat(units) },
        correlationId: 'c'.repeat(128),
        batchRequestId: '"'.repeat(128),
      });
      const line = recordLine(recordContent(entry), { ...HEAD, seq: Number.MAX_SAFE_INTEGER - 1 });
      const signed = Buffer.byteLength(line) + `,"sig":"${'A'.repeat(88)}"`.length;
      expect(signed + 1, String(units)).to.be.at.most(MAX_LINE_BYTES);
    }
  });
});
