import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import {
  listSegments,
  listSegmentsOf,
  parseSegmentName,
  recoveredPath,
  segmentPath,
} from '../../../../../src/adapters/audit/segments/segment-names.ts';

describe('Segment names', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-names-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are the audit file’s with the number of the first record, and sort by it', () => {
    const paths = [1, 9, 10, 999_999_999_999].map((seq) => segmentPath('/a/audit.jsonl', seq));
    expect(paths[0]).to.equal('/a/audit.000000000001.jsonl');
    expect(paths.toSorted()).to.deep.equal(paths);
    for (const name of ['audit.jsonl', 'audit', 'audit.2026.jsonl', '.audit'])
      for (const attempt of [1, 2, 99]) {
        const plain = basename(segmentPath(name, 42, attempt));
        const parsed = { auditFile: name, firstSeq: 42, attempt };
        expect(parseSegmentName(plain)).to.deep.equal({ ...parsed, form: 'plain' });
        expect(parseSegmentName(recoveredPath(plain))).to.deep.equal({ ...parsed, form: 'recovered' });
        expect(parseSegmentName(`${plain}.gz`)).to.deep.equal({ ...parsed, form: 'gzip' });
        expect(parseSegmentName(`${recoveredPath(plain)}.gz`)).to.deep.equal({ ...parsed, form: 'gzip' });
        expect(parseSegmentName(`${plain}.xz`)).to.deep.equal({ ...parsed, form: 'packed' });
      }
  });

  it('are no other names', () => {
    for (const name of [
      ...['audit.jsonl', 'audit.jsonl.gz', 'audit.jsonl.lock', 'audit.00000000001.jsonl', 'audit.jsonl.000000000001.'],
      ...['audit.000000000001_1.jsonl', 'audit.000000000001.jsonl.xz.gz', 'audit.000000000001-000000000009.jsonl'],
      ...['.000000000001.jsonl', 'audit.000000000001.jsonl.torn'],
    ])
      expect(parseSegmentName(name), name).to.equal(null);
  });

  it('are listed in the order of records, without files of other audit files', async () => {
    const own = [
      ...['audit.000000000001.jsonl.gz', 'audit.000000000002.jsonl', 'audit.000000000002.jsonl.recovered'],
      ...['audit.000000000002_2.jsonl', 'audit.000000000002_10.jsonl', 'audit.000000000010.jsonl'],
    ];
    const others = ['audit-2.000000000001.jsonl', 'audit.000000000001'];
    const packed = 'audit.000000000003.jsonl.xz';
    const compressing = ['audit.000000000010.jsonl.gz', 'audit.000000000010.jsonl.xz', 'audit.000000000001.jsonl.xz'];
    for (const name of [...own.toReversed(), ...others, packed, ...compressing, 'audit.jsonl', 'audit.jsonl.lock'])
      writeFileSync(join(folder, name), '');
    const listed = await listSegments(join(folder, 'audit.jsonl'));
    expect(listed.map(({ path }) => path)).to.deep.equal(own.map((name) => join(folder, name)));
    expect(listed.map(({ firstSeq, attempt, form }) => [firstSeq, attempt, form])).to.deep.equal([
      ...[
        [1, 1, 'gzip'],
        [2, 1, 'plain'],
        [2, 1, 'recovered'],
      ],
      ...[
        [2, 2, 'plain'],
        [2, 10, 'plain'],
        [10, 1, 'plain'],
      ],
    ]);
    const all = await listSegmentsOf(folder, null);
    expect(all.map(({ path }) => basename(path))).to.have.members([...own, ...others, packed]);
  });
});
