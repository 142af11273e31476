import { expect } from 'chai';
import { formatSpeed, ProgressLine } from '../../../../../src/adapters/cli/terminal/progress-line.ts';

describe('ProgressLine', () => {
  let now: number;
  let drawn: string[];
  let line: ProgressLine;

  beforeEach(() => {
    now = 5000;
    drawn = [];
    line = new ProgressLine(
      (text) => drawn.push(text),
      formatSpeed,
      null,
      () => now,
    );
  });

  it('is drawn ten times a second at most, and cleared only if it was drawn', () => {
    line.clear();
    expect(drawn).to.deep.equal([]);
    for (let count = 0; count < 1000; count += 1) {
      now += 1;
      line.show(count, 1000);
    }
    expect(drawn).to.have.lengthOf(10);
  });

  it('is no wider than the terminal', () => {
    for (const [columns, width] of [
      [200, 30],
      [60, 20],
      [40, 0],
    ] as const) {
      const narrow = new ProgressLine(
        (text) => drawn.push(text),
        formatSpeed,
        columns,
        () => now,
      );
      now += 500;
      narrow.show(1e9, 1e9);
      const bar = width === 0 ? '' : `[${'#'.repeat(width)}] `;
      expect(drawn.at(-1)).to.equal(`\r${bar}100 %, 2000 MB/s\x1b[K`);
    }
  });
});
