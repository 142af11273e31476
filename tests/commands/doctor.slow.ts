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
