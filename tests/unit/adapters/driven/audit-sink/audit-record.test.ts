import { expect } from 'chai';
import fc from 'fast-check';
import { auditRecord } from '../../../../../src/adapters/driven/audit-sink/audit-record.ts';
import type { AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

/** Whatever some reader (a terminal, Python's splitlines, JavaScript, an editor) takes for the end of a line. */
const ANY_LINE_END = /[\p{Cc}\p{Zl}\p{Zp}]/u;

const FIELDS = [
  'time',
  'event',
  'outcome',
  'errorCode',
  'platformId',
  'accountId',
  'algorithm',
  'payloadDigest',
  'signatureDigest',
  'data',
  'correlationId',
  'batchRequestId',
  'principal',
  'remoteAddress',
  'durationMs',
  'instanceId',
];

function fieldsOf(line: string): JsonObject {
  return JSON.parse(line) as JsonObject;
}

describe('auditRecord', () => {
  it('writes the documented line', () => {
    expect(
      auditRecord({
        time: '2026-11-20T08:49:00.123Z',
        event: 'sign',
        outcome: 'refused',
        errorCode: 'ACCOUNT_INACTIVE',
        platformId: 'alpha',
        accountId: 'main',
        algorithm: null,
        payloadDigest: null,
        signatureDigest: null,
        data: { symbol: 'BTCUSDT', price: '[masked]' },
        correlationId: 'c-1',
        batchRequestId: 'b-1',
        principal: null,
        remoteAddress: '10.0.0.7',
        durationMs: 0.125,
        instanceId: 'i-1',
      }),
    ).to.equal(
      '{"time":"2026-11-20T08:49:00.123Z","event":"sign","outcome":"refused","errorCode":"ACCOUNT_INACTIVE","platformId":"alpha",' +
        '"accountId":"main","algorithm":null,"payloadDigest":null,"signatureDigest":null,"data":{"symbol":"BTCUSDT","price":"[masked]"},' +
        '"correlationId":"c-1","batchRequestId":"b-1","principal":null,"remoteAddress":"10.0.0.7","durationMs":0.125,"instanceId":"i-1"}',
    );
  });

  it('keeps its fields and their order whatever order and other properties the entry has', () => {
    const entry = sampleAuditEntry();
    const reversed = Object.fromEntries(Object.entries(entry).reverse()) as unknown as AuditEntry;
    const strange = { message: 'm', level: 'error', timestamp: 't', stack: 's', hash: 'h', ...reversed };
    expect(auditRecord(strange)).to.equal(auditRecord(entry));
    expect(Object.keys(fieldsOf(auditRecord(strange)))).to.deep.equal(FIELDS);
  });

  it('stays one line for every reader and steers no terminal', () => {
    const hostile = 'a\nb\r\nc\u2028d\u2029e\u0085f\v\f\u001c\u001b[2Jg\u009b2Jh\u007f\u202egnp.exe\u2066i\0';
    const entry = sampleAuditEntry({ platformId: hostile, principal: hostile, data: { [hostile]: hostile } });
    const line = auditRecord(entry);
    expect(line).not.to.match(ANY_LINE_END);
    expect(line).to.match(/^[\x20-\x7e]*$/);
    expect(fieldsOf(line)).to.deep.equal(entry);
  });

  it('says the same as the entry for any text and data', () => {
    const text = fc.string({ unit: 'binary' });
    const data = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' }), { noNullPrototype: true });
    fc.assert(
      fc.property(text, data, (correlationId, value) => {
        const entry = sampleAuditEntry({ correlationId, data: value as JsonObject });
        const line = auditRecord(entry);
        expect(line).not.to.match(ANY_LINE_END);
        expect(line).to.match(/^\{"time":.*\}$/u);
        expect(fieldsOf(line)).to.deep.equal(JSON.parse(JSON.stringify(entry)));
      }),
    );
  });

  it('leaves readable text of other scripts as it is', () => {
    expect(auditRecord(sampleAuditEntry({ principal: 'Büro Zürich 東京 🔑' }))).to.include('Büro Zürich 東京 🔑');
  });

  it('records the attempt without its data when the data is too deep', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`) as JsonObject;
    const entry = sampleAuditEntry({ data: deep });
    expect(fieldsOf(auditRecord(entry))).to.deep.equal({ ...entry, data: { omitted: 'can not be written as JSON' } });
  });

  it('records the attempt without its data when the data is no JSON after all', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const entry = sampleAuditEntry();
    for (const data of [circular, { big: 1n }]) {
      expect(fieldsOf(auditRecord({ ...entry, data: data as JsonObject }))).to.deep.equal({
        ...entry,
        data: { omitted: 'can not be written as JSON' },
      });
    }
  });
});
