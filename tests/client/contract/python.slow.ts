import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describeWithProgram } from '../../e2e/describe-with-program.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { itFollowsTheContract } from './client-contract.ts';
import { DriverProcess } from './driver.ts';

const TESTS = join(PROJECT_ROOT, 'clients/python/tests');
/** As clients/python/pyproject.toml requires. */
const HAS_CRYPTOGRAPHY = 'import cryptography; assert int(cryptography.__version__.split(".")[0]) >= 42';

describeWithProgram('The Python client', 'python3', 'apt install python3', () => {
  const hasEd25519 = spawnSync('python3', ['-c', HAS_CRYPTOGRAPHY]).status === 0;
  if (!hasEd25519)
    process.stderr.write("Not run: access tokens of the Python client. pip install './clients/python[auth]'\n");

  it('passes its unit tests', () => {
    execFileSync('python3', ['-B', '-m', 'unittest', 'discover', '-s', TESTS, '-p', 'test_*.py'], { stdio: 'pipe' });
  });

  describe('follows the contract of all clients', () => {
    const command = { command: 'python3', args: ['-B', `${TESTS}/driver.py`] };
    itFollowsTheContract(() => new DriverProcess(command), hasEd25519);
  });
});
