import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { recordJsonSchema, recordSchema } from '../../../src/audit-trail/record-schema.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const PUBLISHED = new URL('../../../config/audit-record.schema.json', import.meta.url);

describe('config/audit-record.schema.json', () => {
  const published = () => JSON.parse(readFileSync(PUBLISHED, 'utf8'));

  it('is the schema of the record; run `npm run generate -- schema` after a change', () => {
    expect(published()).to.deep.equal(JSON.parse(JSON.stringify(recordJsonSchema())));
  });

  it('describes every field, wants each but the signature, and takes no other', () => {
    const { properties, required, additionalProperties } = published();
    const [signed = ''] = new AuditChain().lines;
    expect(Object.keys(properties)).to.deep.equal(Object.keys(JSON.parse(signed)));
    expect(required).to.deep.equal(Object.keys(properties).filter((name) => name !== 'sig'));
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

describe('recordSchema', () => {
  const chain = new AuditChain();
  chain.append();
  chain.append(
    sampleAuditEntry({ outcome: 'refused', platformId: 'a b', principal: 'é', durationMs: null, data: null }),
  );
  chain.sign();
  const records = chain.lines.map((line) => JSON.parse(line));
  const takes = (value: unknown) => recordSchema.safeParse(value).success;

  it('takes every record that the service writes', () => {
    for (const record of records) expect(takes(record)).to.equal(true);
  });

  it('takes nothing that lacks a field, has another, or a value that does not fit', () => {
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
