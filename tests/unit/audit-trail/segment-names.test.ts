import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { findSegments, isRotatedName, rotatedPath } from '../../../src/audit-trail/segment-files.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';

describe('Files beside the audit file', () => {
  let folder: string;
  const segment = new AuditChain().text();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-names-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Names of the files that are taken for segments where all of these begin with a segment record. */
  async function taken(file: string, ...names: readonly string[]): Promise<readonly string[]> {
    for (const name of names) writeFileSync(join(folder, name), segment);
    return (await findSegments(join(folder, file))).map(({ path }) => basename(path)).sort();
  }

  const SEGMENTS = [
    'audit-20261121-1763683200.jsonl',
    'audit-20261121.jsonl',
    'audit.000000000001-000000004711.jsonl',
    'audit.jsonl',
    'audit.jsonl-20261121',
    'audit.jsonl.1',
    'audit.jsonl.old',
  ];

  it('are segments when their names say that they were the audit file', async () => {
    expect(await taken('audit.jsonl', ...SEGMENTS)).to.deep.equal(SEGMENTS);
  });

  it('are never read when they are something else: keys, companions, other names', async () => {
    const others = [
      'audit.jsonl.lock',
      'audit.jsonl.set-aside-20261121T000000000Z',
      'audit.jsonl.tmp',
      'audit.jsonl.torn',
      'audit.jsonl.usage',
      'audit-2.000000000001-000000004711.jsonl',
      'audit-2.jsonl',
      'audit-20261121-b.jsonl',
      'audit-20261121.jsonl.gz',
      'audit.1.jsonl',
      'audit.jsonl.1.gz',
      'audit.key',
      'audit.key.pub',
      'auditor.jsonl',
      'credentials.json',
      'master.key',
    ];
    expect(await taken('audit.jsonl', ...others)).to.deep.equal([]);
    for (const name of others) rmSync(join(folder, name));
    const beside = ['audit-2', 'audit-2.jsonl', 'audit.key', 'audit.key.previous', 'audit.pem'];
    expect(await taken('audit', 'audit', ...beside)).to.deep.equal(['audit']);
  });

  it('are no segments when they are folders, or begin with something else', async () => {
    mkdirSync(join(folder, 'audit.jsonl.1'));
    writeFileSync(join(folder, 'audit.jsonl.2'), 'other\n');
    writeFileSync(join(folder, 'audit.jsonl.3'), '');
    writeFileSync(join(folder, 'audit.jsonl.4'), segment.slice(0, -1));
    expect(await taken('audit.jsonl', 'audit.jsonl')).to.deep.equal(['audit.jsonl']);
  });

  it('that the service rotates are named for their records, in an order that is that of the records', () => {
    const names = [9, 10, 4711].map((seq) => rotatedPath('/var/audit.jsonl', seq, seq + 5));
    expect(names[0]).to.equal('/var/audit.000000000009-000000000014.jsonl');
    expect(names).to.deep.equal(names.toSorted());
    expect(isRotatedName('audit.jsonl', basename(names[0] ?? ''))).to.equal(true);
    for (const name of ['audit.jsonl', 'audit.9-14.jsonl', 'audit.jsonl.1', 'other.000000000009-000000000014.jsonl']) {
      expect(isRotatedName('audit.jsonl', name), name).to.equal(false);
    }
  });
});
