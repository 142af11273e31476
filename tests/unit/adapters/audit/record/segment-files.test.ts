import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import {
  findSegments,
  isRotatedName,
  readSegment,
  rotatedPath,
  rotatedRange,
} from '../../../../../src/adapters/audit/record/segment-files.ts';
import { sha256Of } from '../../../../../src/adapters/node/sha256.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';

describe('files of an audit chain', () => {
  let folder: string;
  let chain: AuditChain;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-files-'));
    chain = new AuditChain();
    chain.append();
    chain.beginSegment('size');
    chain.append();
    chain.beginSegment('size');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const place = (name: string) => join(folder, name);

  it('are named for their first and last record', () => {
    expect(rotatedPath('/var/audit/audit.jsonl', 1, 4711)).to.equal('/var/audit/audit.000000000001-000000004711.jsonl');
    expect(rotatedPath('/a/audit', 1, 10 ** 13)).to.equal('/a/audit.000000000001-10000000000000');
  });

  it('are recognised by their names', () => {
    const file = '/var/audit/audit.jsonl';
    expect(isRotatedName(file, basename(rotatedPath(file, 1, 4711)))).to.equal(true);
    expect(rotatedRange(file, 'audit.000000000005-000000000007.jsonl')).to.include({ firstSeq: 5, lastSeq: 7 });
    for (const name of [
      'audit.jsonl',
      'audit.jsonl.1',
      'audit.1-2.jsonl',
      'audit.000000000001.jsonl',
      'audit-b.000000000001-000000004711.jsonl',
      'audit.000000000001-000000004711.jsonl.gz',
      'other.000000000001-000000004711.jsonl',
    ]) {
      expect(isRotatedName(file, name), name).to.equal(false);
    }
  });

  it('are ordered by their first record, regardless of their names', async () => {
    const [first = '', second = ''] = chain.write(place('audit.jsonl'));
    writeFileSync(place('audit.jsonl.1'), chain.text(1));
    rmSync(second);
    for (const name of ['audit.jsonl.torn', 'audit.jsonl.usage', 'audit.jsonl.lock'])
      writeFileSync(place(name), chain.text(0));
    writeFileSync(place('audit.txt'), 'no record\n');
    writeFileSync(place('audit.empty'), '');
    writeFileSync(place('other.jsonl'), chain.text(0));
    mkdirSync(place('audit.folder'));
    const segments = await findSegments(place('audit.jsonl'));
    expect(segments.map(({ path, first }) => [path, first.seq])).to.deep.equal([
      [first, 1],
      [place('audit.jsonl.1'), 3],
      [place('audit.jsonl'), 5],
    ]);
    for (const { publicKey } of segments) expect(publicKey).to.deep.equal(chain.publicKey);
  });

  it('are ignored when missing, truncated in the first line, or not audit files', async () => {
    expect(await readSegment(place('missing'))).to.equal(null);
    for (const text of ['', chain.text(0).slice(0, 100), chain.text(0).slice(1), `${chain.lines[1]}\n`]) {
      writeFileSync(place('file'), text);
      expect(await readSegment(place('file')), text.slice(0, 40)).to.equal(null);
    }
    writeFileSync(place('file'), `${chain.lines[0]}\ntorn`);
    expect((await readSegment(place('file')))?.first.hash).to.equal(sha256Of(chain.lines[0] ?? ''));
  });
});

describe('Files next to the audit file', () => {
  let folder: string;
  const segment = new AuditChain().text();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-names-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

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

  it('are segments if named like earlier audit files', async () => {
    expect(await taken('audit.jsonl', ...SEGMENTS)).to.deep.equal(SEGMENTS);
  });

  it('are not read if named like keys, companions or anything else', async () => {
    const others = [
      'audit.jsonl.budgets',
      'audit.jsonl.lock',
      'audit.jsonl.replay',
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

  it('are ignored if they are folders or have other content', async () => {
    mkdirSync(join(folder, 'audit.jsonl.1'));
    writeFileSync(join(folder, 'audit.jsonl.2'), 'other\n');
    writeFileSync(join(folder, 'audit.jsonl.3'), '');
    writeFileSync(join(folder, 'audit.jsonl.4'), segment.slice(0, -1));
    expect(await taken('audit.jsonl', 'audit.jsonl')).to.deep.equal(['audit.jsonl']);
  });

  it('sort by record when rotated by the service', () => {
    const names = [9, 10, 4711].map((seq) => rotatedPath('/var/audit.jsonl', seq, seq + 5));
    expect(names[0]).to.equal('/var/audit.000000000009-000000000014.jsonl');
    expect(names).to.deep.equal(names.toSorted());
    expect(isRotatedName('audit.jsonl', basename(names[0] ?? ''))).to.equal(true);
    for (const name of ['audit.jsonl', 'audit.9-14.jsonl', 'audit.jsonl.1', 'other.000000000009-000000000014.jsonl']) {
      expect(isRotatedName('audit.jsonl', name), name).to.equal(false);
    }
  });
});
