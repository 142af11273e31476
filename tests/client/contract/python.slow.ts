import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describeWithProgram } from '../../e2e/describe-with-program.ts';
import { itFollowsTheContract } from './client-contract.ts';

const TESTS = resolve(import.meta.dirname, '../../../clients/python/tests');

describeWithProgram('The Python client', 'python3', 'apt install python3', () => {
  const hasEd25519 = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
  if (!hasEd25519) process.stderr.write('Not run: access tokens of the Python client. pip install cryptography\n');

  it('passes its unit tests', () => {
    execFileSync('python3', ['-B', '-m', 'unittest', 'discover', '-s', TESTS, '-p', 'test_*.py'], { stdio: 'pipe' });
  });

  describe('follows the contract of all clients', () => {
    itFollowsTheContract(() => ({ command: 'python3', args: ['-B', `${TESTS}/driver.py`] }), hasEd25519);
  });
});
