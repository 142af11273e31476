import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { chainRecord, prepareRecord } from '../../../src/audit-trail/prepared-record.ts';
import { asRecord, recordJsonSchema } from '../../../src/audit-trail/record-schema.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const PUBLISHED = new URL('../../../config/audit-record.schema.json', import.meta.url);

describe('config/audit-record.schema.json', () => {
  const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8'));

  it('is the schema that records are read with; run `npm run schema` after a change', () => {
    expect(published()).to.deep.equal(JSON.parse(JSON.stringify(recordJsonSchema())));
  });

  it('describes every field, wants each but the traceparent, and takes no other', () => {
    const { properties, required, additionalProperties } = published();
    const line = chainRecord(prepareRecord(sampleAuditEntry()), { seq: 0, hash: null }).line;
    expect(Object.keys(properties)).to.deep.equal(Object.keys(JSON.parse(line)));
    expect(required).to.deep.equal(Object.keys(properties).filter((name) => name !== 'traceparent'));
    expect(additionalProperties).to.equal(false);
    for (const [name, property] of Object.entries(properties)) {
      expect(property, name).to.have.property('description').that.is.a('string');
    }
  });

  it('has patterns that are read alike in other languages', () => {
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

describe('asRecord', () => {
  const chain = new AuditChain();
  chain.append();
  chain.append(
    sampleAuditEntry({ outcome: 'refused', platformId: 'a b', principal: 'é', durationMs: null, data: null }),
  );
  chain.checkpoint();
  const records = chain.lines.map((line) => JSON.parse(line));

  it('takes every record that the service writes', () => {
    for (const record of records) expect(asRecord(record)).to.equal(record);
  });

  it('takes nothing that lacks a field, has another, or a value that does not fit', () => {
    const [, record] = records;
    for (const name of Object.keys(record)) {
      const { [name]: _, ...rest } = record;
      if (name !== 'traceparent') expect(asRecord(rest), name).to.equal(null);
      expect(asRecord({ ...record, [name]: ['no value'] }), name).to.equal(null);
    }
    for (const other of [
      null,
      7,
      'text',
      [],
      {},
      { ...record, extra: null },
      { ...record, seq: -1 },
      { ...record, traceparent: null },
      { ...record, time: '2026-11-20T08:49:00Z' },
      { ...record, data: [] },
    ]) {
      expect(asRecord(other)).to.equal(null);
    }
  });
});
