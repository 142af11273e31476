import { findChromium } from '../../scripts/stage/chromium.ts';

const HOW_TO_GET_IT = 'chromium is not on PATH: apt-get install chromium';

/**
 * A suite that needs a browser. Where there is none, it says how to get one and registers nothing; in CI (`CI=true`) it fails.
 * @param define gets the name of the program
 */
export function describeWithChromium(title: string, define: (program: string) => void): void {
  const program = findChromium();
  if (program !== null) {
    describe(title, () => define(program));
    return;
  }
  if (process.env['CI'] === 'true') {
    describe(title, () => {
      it('finds chromium', () => {
        throw new Error(HOW_TO_GET_IT);
      });
    });
    return;
  }
  process.stderr.write(`Not run: ${title}. ${HOW_TO_GET_IT}\n`);
}
