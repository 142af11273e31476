import { spawnSync } from 'node:child_process';

const HOW_TO_GET_IT = 'softhsm2-util is not on PATH: apt-get install softhsm2';

/** A suite that needs SoftHSM; without it, says how to install it, and fails in CI (`CI=true`). */
export function describeWithSoftHsm(title: string, define: () => void): void {
  if (spawnSync('softhsm2-util', ['--version']).error === undefined) {
    describe(title, define);
    return;
  }
  if (process.env['CI'] === 'true') {
    describe(title, () => {
      it('finds softhsm2-util', () => {
        throw new Error(HOW_TO_GET_IT);
      });
    });
    return;
  }
  process.stderr.write(`Not run: ${title}. ${HOW_TO_GET_IT}\n`);
}
