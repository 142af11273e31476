import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuditRecord } from '../../../src/audit-trail/audit-record.ts';
import { chainRecord, prepareRecord } from '../../../src/audit-trail/prepared-record.ts';
import type { AuditEntry } from '../../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const HEAD = { seq: 41, hash: `sha256:${'7e'.repeat(32)}` };

/** Whatever some reader (a terminal, Python's splitlines, JavaScript, an editor) takes for the end of a line. */
const ANY_LINE_END = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function lineOf(entry: AuditEntry): string {
  return chainRecord(prepareRecord(entry), HEAD).line;
}

/** What the line says of the entry. */
function entryIn(line: string): JsonObject {
  const { seq: _seq, prevHash: _prevHash, hash: _hash, ...entry } = JSON.parse(line) as AuditRecord;
  return entry as unknown as JsonObject;
}

describe('the lines of records', () => {
  it('are the same whatever order and other properties the entry has', () => {
    const entry = sampleAuditEntry();
    const reversed = Object.fromEntries(Object.entries(entry).reverse()) as unknown as AuditEntry;
    const strange = { message: 'm', level: 'error', timestamp: 't', stack: 's', hash: 'h', prevHash: 'p', seq: 1 };
    expect(lineOf({ ...strange, ...reversed })).to.equal(lineOf(entry));
  });

  it('say the same as the entry, on one line, for any text and data, with the hash of what they say', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    const data = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), { noNullPrototype: true });
    fc.assert(
      fc.property(text, data, (principal, value) => {
        const entry = sampleAuditEntry({ principal, data: JSON.parse(JSON.stringify(value)) as JsonObject });
        const line = lineOf(entry);
        expect(line).not.to.match(ANY_LINE_END);
        expect(line).to.match(/^\{"seq":42,"time":".*"\}$/u);
        expect(entryIn(line)).to.deep.equal(entry);
        const { hash, ...content } = JSON.parse(line) as AuditRecord;
        const canonical = canonicalize(content) ?? '';
        expect(hash).to.equal(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
      }),
    );
  });

  it('record the attempt without its data when the data is too deep', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`) as JsonObject;
    const { data, ...rest } = entryIn(lineOf(sampleAuditEntry({ data: deep })));
    const { data: _data, ...expected } = sampleAuditEntry();
    expect(rest).to.deep.equal(expected);
    expect(data).to.have.all.keys('omitted');
  });
});
