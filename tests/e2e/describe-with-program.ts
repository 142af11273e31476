import { spawnSync } from 'node:child_process';

/**
 * A suite that needs a program on PATH; without it, says how to install it, and fails in CI
 * (`CI=true`).
 * @param install the command that installs it
 */
export function describeWithProgram(title: string, program: string, install: string, define: () => void): void {
  if (spawnSync(program, ['--version']).error === undefined) {
    describe(title, define);
    return;
  }
  const advice = `${program} is not on PATH: ${install}`;
  if (process.env['CI'] === 'true') {
    describe(title, () => {
      it(`finds ${program}`, () => {
        throw new Error(advice);
      });
    });
    return;
  }
  process.stderr.write(`Not run: ${title}. ${advice}\n`);
}
