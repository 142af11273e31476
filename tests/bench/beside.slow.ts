import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const SIGNER = 'tests/bench/signer-for-bench.ts';
const OURS = /signing-service [\w.-]+/.source;
/** Rate, CPU time, latencies, processors, memory and disturbed rounds. */
const CELLS = / +[\d,]+ +\d+\.\d{4} +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +\d+ MB +\d of 3/.source;

/** Runs the benchmark beside a start script. */
async function benchBeside(script: string) {
  const options = ['--import', 'tsx', 'scripts/bench.ts', '--quick', '--beside', script];
  // The tests run on what is built.
  const env = { ...process.env, npm_config_ignore_scripts: 'true' };
  const child = spawn(process.execPath, options, { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { output, exitCode: child.exitCode };
}

describe('npm run bench -- --beside', () => {
  it('measures the service and another in turns, and prints their ratios', async function () {
    this.timeout(180_000);
    const { output, exitCode } = await benchBeside(`${SIGNER} sound`);
    expect(exitCode, output).to.equal(0);
    const [singles = '', batches = ''] = output.split('\n\n').filter((block) => block.includes(' connections '));
    for (const rows of [singles, batches]) {
      for (const name of [`${OURS}, one process`, `${OURS}, two processes`, 'Test signer 1.2.3']) {
        expect(rows).to.match(new RegExp(`^ +${name}${CELLS}$`, 'm'));
      }
    }
    const [, ratios = ''] = output.split('÷ Test signer 1.2.3');
    for (const name of ['CPU of single signatures', 'CPU of items of batches', 'signatures/s, two processes']) {
      expect(ratios).to.match(new RegExp(`^ +${name} +\\d+\\.\\d{3}$`, 'm'));
    }
  });

  const faults: readonly (readonly [fault: string, words: string])[] = [
    ['early-exit', 'no license'],
    ['wrong-line', "'batchBody' must contain {{base64}}, {{base64url}} or {{hex}} 100 times"],
    ['wrong-pid', "'pids.0' must be a running process"],
    ['crashing', 'out of memory'],
    ['rejecting', '403 no permission'],
    ['wrong-signature', 'wrong signature of {"amount":"1.50"'],
  ];
  for (const [fault, words] of faults) {
    it(`names the script and the reason: ${fault}`, async () => {
      const { output, exitCode } = await benchBeside(`${SIGNER} ${fault}`);
      expect(output).to.include(`FAILED: ${SIGNER} ${fault}: `).and.include(words);
      expect(exitCode).to.equal(1);
    });
  }

  it('names a script that does not exist', async () => {
    const { output, exitCode } = await benchBeside('none.ts');
    expect(output).to.include('FAILED: none.ts: no such file');
    expect(exitCode).to.equal(1);
  });
});
