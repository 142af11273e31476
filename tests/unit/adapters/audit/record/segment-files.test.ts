import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import {
  findSegments,
  isRotatedName,
  rotatedPath,
  rotatedRange,
} from '../../../../../src/adapters/audit/record/segment-files.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';

describe('Files of an audit chain', () => {
  const segment = new AuditChain().text();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function taken(file: string, ...names: readonly string[]): Promise<readonly string[]> {
    for (const name of names) writeFileSync(join(folder, name), segment);
    return (await findSegments(join(folder, file))).map(({ path }) => basename(path)).sort();
  }

  it('are named for their first and last record, so that names sort by record', () => {
    const file = '/var/audit/audit.jsonl';
    const names = [9, 10, 4711].map((seq) => rotatedPath(file, seq, seq + 5));
    expect(names[0]).to.equal('/var/audit/audit.000000000009-000000000014.jsonl');
    expect(names).to.deep.equal(names.toSorted());
    expect(rotatedPath('/a/audit', 1, 10 ** 13)).to.equal('/a/audit.000000000001-10000000000000');
    expect(rotatedRange(file, basename(names[0] ?? ''))).to.include({ firstSeq: 9, lastSeq: 14 });
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

  it('are found under the names that the service, logrotate and operators give', async () => {
    const names = [
      'audit-20261121-1763683200.jsonl',
      'audit-20261121.jsonl',
      'audit.000000000001-000000004711.jsonl',
      'audit.jsonl',
      'audit.jsonl-20261121',
      'audit.jsonl.1',
      'audit.jsonl.old',
    ];
    expect(await taken('audit.jsonl', ...names)).to.deep.equal(names);
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

  it('are ignored if they are folders, truncated in the first line, or have other content', async () => {
    const chain = new AuditChain();
    chain.append();
    mkdirSync(join(folder, 'audit.jsonl.1'));
    const texts = ['other\n', '', segment.slice(0, -1), segment.slice(1), `${chain.lines[1]}\n`];
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `audit.jsonl.${index + 2}`), text);
    writeFileSync(join(folder, 'audit.jsonl.9'), `${segment}torn`);
    expect(await taken('audit.jsonl', 'audit.jsonl')).to.deep.equal(['audit.jsonl', 'audit.jsonl.9']);
  });
});
