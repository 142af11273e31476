import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { sha256Of } from '../../../src/audit-trail/audit-record.ts';
import {
  findSegments,
  isRotatedName,
  readSegment,
  rotatedPath,
  rotatedRange,
} from '../../../src/audit-trail/segment-files.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';

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

  it('are named for their first and last record, beside the file', () => {
    expect(rotatedPath('/var/audit/audit.jsonl', 1, 4711)).to.equal('/var/audit/audit.000000000001-000000004711.jsonl');
    expect(rotatedPath('/a/audit', 1, 10 ** 13)).to.equal('/a/audit.000000000001-10000000000000');
  });

  it('have names that are told from others', () => {
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

  it('are found by the number of their first record, whatever renamed them', async () => {
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

  it('are no segments when they are missing, torn in the first line, or begin with something else', async () => {
    expect(await readSegment(place('missing'))).to.equal(null);
    for (const text of ['', chain.text(0).slice(0, 100), chain.text(0).slice(1), `${chain.lines[1]}\n`]) {
      writeFileSync(place('file'), text);
      expect(await readSegment(place('file')), text.slice(0, 40)).to.equal(null);
    }
    writeFileSync(place('file'), `${chain.lines[0]}\ntorn`);
    expect((await readSegment(place('file')))?.first.hash).to.equal(sha256Of(chain.lines[0] ?? ''));
  });
});
