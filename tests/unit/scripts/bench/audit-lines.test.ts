import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectRecorded, expectUnrecorded, meanLineBytes } from '../../../../scripts/bench/audit-lines.ts';

describe("The bench's look at audit files", () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  const file = join(folder, 'audit.jsonl');
  after(() => rmSync(folder, { recursive: true }));

  function writeRecords(first: number, last: number): void {
    const records = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    writeFileSync(file, records.map((seq) => `{"seq":${seq},"note":"ä"}\n`).join(''));
  }

  it('finds one with fewer records than signatures, also when it was rotated', () => {
    writeRecords(90, 99);
    expect(() => expectRecorded(file, 99)).to.not.throw();
    expect(() => expectRecorded(file, 100)).to.throw('100 signatures were given out, and 99 are on record.');
    writeFileSync(file, '');
    expect(() => expectRecorded(file, 1)).to.throw('0 are on record');
  });

  it('reads the last whole record of a file of any length', () => {
    writeRecords(1, 100_000);
    expect(() => expectRecorded(file, 100_000)).to.not.throw();
    expect(() => expectRecorded(file, 100_001)).to.throw();
  });

  it('tells the length of a line in bytes', () => {
    writeRecords(10, 99);
    expect(meanLineBytes(file)).to.equal(Buffer.byteLength('{"seq":10,"note":"ä"}\n'));
  });

  it('finds one where none is to be', () => {
    expect(() => expectUnrecorded(file)).to.throw();
    expect(() => expectUnrecorded(join(folder, 'none'))).to.not.throw();
  });
});
