import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWithProgram } from '../../e2e/describe-with-program.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import { itFollowsTheContract } from './client-contract.ts';
import { DriverProcess } from './driver.ts';

const CLIENT = join(PROJECT_ROOT, 'clients/go');

describeWithProgram('The Go client', 'go', 'https://go.dev/dl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-client-go-'));
  const program = join(folder, 'driver');
  /** Runs go without the network: the module needs the standard library only. */
  const go = (...args: readonly string[]) =>
    execFileSync('go', args, {
      ...{ cwd: CLIENT, encoding: 'utf8', stdio: 'pipe' },
      env: { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' },
    });

  before(function () {
    this.timeout(300_000);
    go('build', '-o', program, './internal/driver');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('passes its unit tests, go vet and gofmt', () => {
    go('vet', './...');
    go('test', './...');
    expect(execFileSync('gofmt', ['-l', CLIENT], { encoding: 'utf8' })).to.equal('');
  }).timeout(300_000);

  describe('follows the contract of all clients', () =>
    itFollowsTheContract(() => new DriverProcess({ command: program, args: [] })));
});
