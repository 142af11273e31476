import { findChromium } from '../../scripts/run/chromium.ts';

const HOW_TO_GET_IT = 'chromium is not on PATH: apt-get install chromium';

/**
 * A suite that needs a browser. Without one it prints how to install it and registers nothing; in
 * CI (`CI=true`) it fails.
 * @param define gets the program's name
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
