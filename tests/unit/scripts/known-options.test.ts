import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';

const SCRIPTS = resolve(import.meta.dirname, '../../../scripts');

/** Runs a script that measures, with arguments with which it measures nothing. */
function run(script: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', resolve(SCRIPTS, script), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

describe('Scripts of one or no option', () => {
  it('say how they are used where they are asked for it', () => {
    const { status, stdout, stderr } = run('bench-long.ts', '--help');
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.match(/^npm run bench:long \[-- --signatures NUMBER\].+\n$/);
  });

  for (const [script, argument, reason] of [
    ['bench-profile.ts', '--fast', "Unknown option '--fast'."],
    ['bench-long.ts', 'fast', "Unexpected argument 'fast'."],
    ['bench-long.ts', '--signatures', "Option '--signatures <value>' argument missing."],
  ] as const) {
    it(`refuse what they do not know: ${script} ${argument}`, () => {
      const { status, stdout, stderr } = run(script, argument);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr).to.include(`${reason}\nnpm run bench:`);
    });
  }
});
