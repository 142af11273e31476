import { expect } from 'chai';
import fc from 'fast-check';
import { chainContent, MAX_LINE_BYTES, recordContent } from '../../../../../src/adapters/audit/record/signed-record.ts';
import type { AuditRecord, RecordEntry } from '../../../../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { readProjectFile } from '../../../../project-root.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };
/**
 * Line ends and commands for some reader (a terminal, Python's splitlines, JavaScript, an editor).
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const UNSAFE_CHARACTERS = [0x0a, 0x0d, 0x00, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x202e, 0x2066];

function lineFor(fields: Partial<RecordEntry> & { readonly [extra: string]: unknown } = {}): string {
  return chainContent(recordContent({ ...sampleAuditEntry(), ...fields } as RecordEntry), HEAD).line;
}

function recordFor(fields: Partial<RecordEntry> & { readonly [extra: string]: unknown } = {}): AuditRecord {
  return JSON.parse(lineFor(fields));
}

describe('a record of the audit file', () => {
  it('has every field of the entry, in the documented order', () => {
    const record = recordFor();
    const { required } = JSON.parse(readProjectFile('config/audit-record.schema.json'));
    expect(Object.keys(record)).to.deep.equal(required);
    expect(record).to.deep.equal({ ...sampleAuditEntry(), v: 2, seq: 42, prevHash: HEAD.hash });
  });

  it('has only the fixed fields, regardless of extra members of the entry', () => {
    const reversed = Object.fromEntries(Object.entries(sampleAuditEntry()).reverse());
    const extra = { privateKey: 'secret', toJSON: () => 'other', sig: 's', seq: 1, prevHash: 'p', message: 'm' };
    expect(lineFor({ ...extra, ...reversed })).to.equal(lineFor());
  });

  it('is one line without control characters for any reader, with any text and data unchanged', () => {
    // The unit `binary` of fast-check takes a second or more to set up.
    const character = fc.oneof(fc.nat(0x10_ffff), fc.constantFrom(...UNSAFE_CHARACTERS));
    const text = fc
      .array(character, { minLength: 10, maxLength: 40 })
      .map((points) => String.fromCodePoint(...points).replace(/\p{Surrogate}/gu, '?'));
    const data = fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })), {
      noNullPrototype: true,
      maxKeys: 5,
    });
    fc.assert(
      fc.property(text, data, (principal, value) => {
        const entry = sampleAuditEntry({ principal, data: JSON.parse(JSON.stringify(value)) as JsonObject });
        const line = lineFor({ ...entry });
        expect(line).not.to.match(UNSAFE);
        expect(JSON.parse(line)).to.deep.equal({ ...entry, v: 2, seq: 42, prevHash: HEAD.hash });
      }),
      { numRuns: 50 },
    );
  });

  it('replaces a value that does not match its pattern with [invalid]', () => {
    const id = ['', 'a b', 'a\n', '-a', 'é', 'x'.repeat(129)];
    const digest = ['', `sha256:${'0A'.repeat(32)}`, `sha256:${'0a'.repeat(31)}0"`, `sha256:${'0a'.repeat(32)}\n`];
    for (const [field, values] of Object.entries({
      ...{ platformId: id, accountId: id, correlationId: id, instanceId: id },
      batchRequestId: ['', 'a b', 'é', 'x'.repeat(129)],
      remoteAddress: ['', '::1 ', '10.0.0.1\n'],
      traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n'],
      ...{ payloadDigest: digest, signatureDigest: digest },
    }))
      for (const value of values) expect(recordFor({ [field]: value }), value).to.have.property(field, '[invalid]');
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
      const { line } = chainContent(recordContent(entry), { ...HEAD, seq: Number.MAX_SAFE_INTEGER - 1 });
      const signed = Buffer.byteLength(line) + `,"sig":"${'A'.repeat(88)}"`.length;
      expect(signed + 1, String(units)).to.be.at.most(MAX_LINE_BYTES);
    }
  });
});
