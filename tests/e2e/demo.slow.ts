import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type Process, Workplace } from '../harness/service-process.ts';
import { HARDENING_OPTIONS, withNodeOptions } from '../harness/start-options.ts';

const VERIFY_CALL =
  /^curl -sw '\\n' -X POST '([^']+)' -H 'Content-Type: application\/json' -d '([^']+)' \| node -e '([^']+)'$/m;

describe('npm run demo', () => {
  const place = new Workplace();
  let demo: Process;

  before(async function () {
    this.timeout(60_000);
    // As npm run demo does: Express must not compile functions from text.
    place.launcher = withNodeOptions(...HARDENING_OPTIONS);
    demo = place.spawn('cli.js', ['demo']);
    await demo.waitForLine(/Ctrl-C stops the service/);
  });

  after(() => place.remove());

  async function post(url: string, body: string): Promise<string> {
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(response.status).to.equal(200);
    return response.text();
  }

  it('opens with the address of the console and a command that shows the status', () => {
    const url = demo.stdout.match(/is running at (\S+) with/)?.[1] ?? '';
    expect(demo.stdout).to.include(`\nConsole:  ${url}/console\n`);
    const command = demo.stdout.match(/^Status: +(node .*) status --watch (--url \S+)$/m);
    expect(command?.[2]).to.equal(`--url ${url}`);
    const { status, stdout } = spawnSync('sh', ['-c', `${command?.[1]} status ${command?.[2]}`], { encoding: 'utf8' });
    expect({ status, readiness: stdout.match(/^Readiness +(.*)$/m)?.[1] }).to.deep.equal({
      status: 0,
      readiness: 'Ready',
    });
  });

  it('prints a command that verifies a signature with node alone, and detects an invalid one', async () => {
    const [, url = '', body = '', script = ''] = demo.stdout.match(VERIFY_CALL) ?? [];
    const result = await post(url, body);
    const verify = (input: string) => execFileSync(process.execPath, ['-e', script], { input, encoding: 'utf8' });
    expect(verify(result)).to.match(/\nThe signature verifies\.\n$/);
    expect(verify(result.replace('BTCUSDT', 'ETHUSDT'))).to.match(/\nTHE SIGNATURE DOES NOT VERIFY\.\n$/);
  });

  if (spawnSync('curl', ['--version']).status === 0) {
    it('prints calls that work when pasted into a shell', () => {
      const lines = demo.stdout.split('\n').filter((line) => /^(curl|node) /.test(line));
      expect(lines).to.have.length(10);
      for (const line of lines) {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
        expect(status, `${line}\n${stderr}`).to.equal(0);
        expect(stdout, line).to.match(/"success":true|POLICY_DENIED|The signature verifies|success {2}sign|Verified: /);
        expect(stdout, line).to.not.include('public key is known');
        if (line.includes('audit verify')) {
          expect(line).to.match(/--public-key \S+\/audit\.key\.pub /);
          expect(stdout).to.match(/The checkpoint of \S+ in \S+\/checkpoint\.json matches: /);
          expect(stdout).to.match(/^Verified: \d+ records, /m);
        }
      }
    });
  }

  it('removes its folder and exits with code 0 on Ctrl-C', async () => {
    const folder = demo.stdout.match(/with new keys in (\S+)\./)?.[1] ?? '';
    expect(existsSync(folder)).to.equal(true);
    demo.signal('SIGINT');
    const { exitCode, stderr } = await demo.ended();
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
    expect(existsSync(folder)).to.equal(false);
  });
});
