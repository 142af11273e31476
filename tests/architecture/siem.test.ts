import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { RECORD_EVENTS } from '../../src/adapters/audit/record/audit-record.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const FIELDS = Object.keys(JSON.parse(read('config/audit-record.schema.json')).properties);

/** Cells of the table rows below a heading row that begins with these cells. */
function rowsBelow(page: string, heading: string): readonly (readonly string[])[] {
  const [, table = ''] = page.split(`\n| ${heading} |`);
  const [, , ...rows] = table.split('\n');
  return rows
    .slice(0, rows.indexOf(''))
    .map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));
}

describe('Mapping of audit records for a SIEM', () => {
  const page = read('docs/auditors/siem.md');
  const rows = rowsBelow(page, 'Field');

  it('has a row for every field of a record, in their order, with a target in both schemas', () => {
    expect(rows.map(([field = '']) => field.replaceAll('`', ''))).to.deep.equal(FIELDS);
    for (const row of rows) {
      expect(row).to.have.lengthOf(3);
      expect(
        row.every((cell) => cell.length > 0),
        row.join(),
      ).to.equal(true);
    }
  });

  it('names a category and a class for every event, as Vector gives them', () => {
    const named = rowsBelow(page, '`event` | ECS `event.category`, `event.type` | OCSF class, activity').flatMap(
      ([events = '']) => [...events.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
    );
    expect(named.toSorted()).to.deep.equal([...RECORD_EVENTS].toSorted());
  });

  it('is what deploy/vector/vector.yaml does: it reads every field, and writes the targets in ECS', () => {
    const { sources, transforms } = parse(read('deploy/vector/vector.yaml'));
    const program: string = transforms.ecs.source;
    for (const field of FIELDS) expect(program).to.match(new RegExp(`record\\.${field}\\b`));
    for (const [field = '', ecs = ''] of rows) {
      const targets = [...ecs.matchAll(/`((?:@timestamp|[a-z]+\.)[\w.]*)`/g)].map(([, target = '']) => target);
      expect(targets, field).to.not.be.empty;
      for (const target of targets) {
        const member = target.split('.').at(-1) ?? '';
        expect(program, target).to.match(new RegExp(`"${member}":|\\.${member} =`));
      }
    }
    expect(sources.audit).to.deep.include({ read_from: 'beginning', fingerprint: { strategy: 'checksum', lines: 1 } });
  });
});
