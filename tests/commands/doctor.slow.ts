import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { withNodeOptions } from '../harness/start-options.ts';

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fail';
  readonly message: string;
}

describe('signing-service doctor as a process', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = new Workplace();
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
  });
  afterEach(() => place.remove());

  /** Findings by check, and the exit. */
  async function examine() {
    const { stdout, stderr, exitCode } = await place.command('doctor', '--json');
    expect(stderr).to.equal('');
    const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
    return { findings: Object.fromEntries(findings.map((finding) => [finding.check, finding])), exitCode };
  }

  it('reports no issue for a valid setup, except for missing hardening options', async () => {
    const { findings, exitCode } = await examine();
    for (const check of [
      'settings',
      'native-modules',
      'memlock',
      'debugging',
      'credentials',
      'master-key',
      'audit-key',
    ]) {
      expect(findings[check]?.state, check).to.equal('ok');
    }
    expect(findings['node-options']?.state).to.equal('warning');
    expect(exitCode).to.equal(0);
  });

  it('fails if the service does not start', async () => {
    writeFileSync(place.path('master.key'), randomBytes(32));
    const service = await place.spawn('main.js', []).ended();
    expect(service.exitCode).to.equal(2);
    expect(service.stderr).to.include('The service did not start.');
    const { findings, exitCode } = await examine();
    expect(findings['sealed-accounts']?.state).to.equal('fail');
    expect(exitCode).to.equal(2);
  });

  it('reports options that expose the process: a failure in production, a warning elsewhere', async () => {
    place.launcher = withNodeOptions('--report-on-fatalerror');
    const elsewhere = await examine();
    expect(elsewhere.findings['debugging']?.state).to.equal('warning');
    expect(elsewhere.exitCode).to.equal(0);
    place.environment['NODE_ENV'] = 'production';
    const production = await examine();
    expect(production.findings['debugging']?.state).to.equal('fail');
    expect(production.findings['debugging']?.message).to.include('--report-on-fatalerror');
    expect(production.exitCode).to.equal(2);
  });

  it('detects the hardening options', async () => {
    place.launcher = withNodeOptions('--disable-proto=delete', '--disallow-code-generation-from-strings');
    expect((await examine()).findings['node-options']?.state).to.equal('ok');
  });
}).timeout(60_000);
