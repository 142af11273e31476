import { mock } from 'node:test';
import { expect } from 'chai';
import { formatSpeed, withProgress } from '../../../../../src/adapters/cli/terminal/progress-line.ts';

describe('A line of progress', () => {
  /** What work of a second that reports a thousand times draws. */
  async function draw(columns: number | null, isReporting = true): Promise<readonly string[]> {
    const drawn: string[] = [];
    let now = 5000;
    const clock = mock.method(performance, 'now', () => now);
    const context = { terminal: (text: string) => void drawn.push(text), errors: { colour: false, columns } };
    await withProgress(context, formatSpeed, async (onProgress) => {
      for (let count = 1; isReporting && count <= 1000; count += 1) {
        now += 1;
        onProgress?.(count * 1e6, 1e9);
      }
    }).finally(() => clock.mock.restore());
    return drawn;
  }

  it('is drawn ten times a second at most, and cleared at the end', async () => {
    const drawn = await draw(null);
    expect(drawn).to.have.lengthOf(11);
    expect(drawn[4]).to.equal(`\r[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %, 1000 MB/s\x1b[K`);
    expect(drawn.at(-1)).to.equal('\r\x1b[K');
  });

  it('is not cleared if it was not drawn', async () => {
    expect(await draw(null, false)).to.deep.equal([]);
  });

  it('is no wider than the terminal', async () => {
    expect((await draw(60))[9]).to.equal(`\r[${'#'.repeat(20)}] 100 %, 1000 MB/s\x1b[K`);
    expect((await draw(40))[9]).to.equal('\r100 %, 1000 MB/s\x1b[K');
  });
});
