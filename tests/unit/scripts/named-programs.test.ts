import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';

const SCRIPTS = resolve(import.meta.dirname, '../../../scripts');

/** Runs a script with arguments with which it does nothing. */
function run(script: string, ...args: readonly string[]) {
  const command = ['--import', 'tsx', resolve(SCRIPTS, script), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run bench', () => {
  it('prints its options', () => {
    const { status, stdout, stderr } = run('bench.ts', '--help');
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.match(/^npm run bench \[/);
  });

  it('refuses other options', () => {
    const { status, stdout, stderr } = run('bench.ts', '--fast');
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.include("Unknown option '--fast'.\nnpm run bench [");
  });
});

describe('Scripts with programs by name', () => {
  for (const [script, name] of [
    ['measure.ts', 'fairness'],
    ['test-slow.ts', 'crash'],
    ['generate.ts', 'schema'],
    ['check.ts', 'image'],
  ] as const) {
    it(`refuse other names, and print theirs: ${script}`, () => {
      const { status, stdout } = run(script, 'nothing');
      expect(status).to.equal(2);
      expect(stdout).to.match(/^npm run /);
      expect(stdout).to.include(`\n  ${name} `);
    });
  }

  it('print the names where help is wanted', () => {
    const { status, stdout } = run('measure.ts', '--help');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^npm run measure /);
    expect(stdout).to.include('\n  fairness ');
  });
});
