import { basename } from 'node:path';
import { expect } from 'chai';
import {
  listSegments,
  listSegmentsOf,
  parseSegmentName,
  recoveredPath,
  segmentPath,
} from '../../../../../src/adapters/audit/segments/segment-names.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';

describe('Segment names', () => {
  const folder = useTemporaryFolder();

  it('are the audit file’s with the number of the first record, and sort by it', () => {
    const paths = [1, 9, 10, 999_999_999_999].map((seq) => segmentPath('/a/audit.jsonl', seq));
    expect(paths[0]).to.equal('/a/audit.000000000001.jsonl');
    expect(paths.toSorted()).to.deep.equal(paths);
    for (const auditFile of ['audit.jsonl', 'audit', 'audit.2026.jsonl', '.audit', 'audit.000000000001'])
      for (const attempt of [1, 2, 99]) {
        const name = basename(segmentPath(auditFile, 42, attempt));
        for (const [own, form] of [
          [name, 'plain'],
          [recoveredPath(name), 'recovered'],
          [`${name}.gz`, 'gzip'],
          [`${recoveredPath(name)}.gz`, 'gzip'],
          [`${name}.xz`, 'packed'],
        ])
          expect(parseSegmentName(String(own))).to.deep.equal({ auditFile, firstSeq: 42, attempt, form });
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
      ['audit.000000000001.jsonl.gz', 'gzip'],
      ['audit.000000000002.jsonl', 'plain'],
      ['audit.000000000002.jsonl.recovered', 'recovered'],
      ['audit.000000000002_2.jsonl', 'plain'],
      ['audit.000000000002_10.jsonl', 'plain'],
      ['audit.000000000010.jsonl', 'plain'],
    ] as const;
    const names = own.map(([name]) => name);
    const others = ['audit-2.000000000001.jsonl', 'audit.000000000001'];
    const packed = 'audit.000000000003.jsonl.xz';
    const compressing = ['audit.000000000010.jsonl.gz', 'audit.000000000010.jsonl.xz', 'audit.000000000001.jsonl.xz'];
    for (const name of [...names.toReversed(), ...others, packed, ...compressing, 'audit.jsonl', 'audit.jsonl.lock'])
      folder.file(name, '');
    const listed = await listSegments(folder.path('audit.jsonl'));
    expect(listed.map(({ path, form }) => [basename(path), form])).to.deep.equal(own);
    const all = await listSegmentsOf(folder.path(''), null);
    expect(all.map(({ path }) => basename(path))).to.have.members([...names, ...others, packed]);
  });
});
