import { expect } from 'chai';
import { type Column, renderTable } from '../../../../../src/adapters/cli/terminal/table.ts';
import { displayWidth } from '../../../../../src/adapters/cli/terminal/width.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'ALIAS', truncate: 'end' },
  { heading: 'STATE', style: (cell) => (cell === 'ok' ? 'green' : undefined) },
  { heading: 'KEY', truncate: 'middle' },
];
const ROWS = [
  ['one', 'A long alias of forty characters and more', 'ok', 'k'.repeat(60)],
  ['two', '币安人生', 'bad', ''],
];

const table = (columns: number | null, colour = false, rows: readonly (readonly string[])[] = ROWS) =>
  renderTable(COLUMNS, rows, { columns, colour });

describe('A table', () => {
  it('shows everything in columns without a terminal', () => {
    const pad = (text: string) => text.padEnd(41);
    expect(table(null)).to.equal(
      `ID   ${pad('ALIAS')}  STATE  KEY\none  ${ROWS[0]?.[1]}  ok     ${'k'.repeat(60)}\ntwo  币安人生${' '.repeat(33)}  bad\n`,
    );
  });

  it('fits any terminal of at least its minimum width, and keeps columns that must not be cut', () => {
    for (let columns = 33; columns <= 130; columns += 3) {
      const lines = table(columns).trimEnd().split('\n');
      expect(lines, `${columns}`).to.have.lengthOf(3);
      for (const line of lines) expect(displayWidth(line), `${columns}: ${line}`).to.be.at.most(columns);
      expect(lines[1]).to.match(/^one {2}A long a.* {2}ok {5}k+…?k*$/);
    }
    expect(table(200)).to.equal(table(null));
  });

  it('leaves optional columns out only where the table would not fit otherwise, the last one first', () => {
    const optional = { optional: true } as const;
    const columns = [{ heading: 'ID' }, { heading: 'STATE', ...optional }, { heading: 'WHERE', ...optional }];
    const shown = (width: number) =>
      renderTable(columns, [['one', 'ready', 'there']], { columns: width, colour: false });
    expect(shown(17)).to.equal('ID   STATE  WHERE\none  ready  there\n');
    expect(shown(16)).to.equal('ID   STATE\none  ready\n');
    expect(shown(9)).to.equal('ID\none\n');
  });
});
