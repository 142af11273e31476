import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withNodeOptions } from '../harness/start-options.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

/** Rejected options of node; a value follows `=`. */
const OPTIONS: readonly string[] = [
  '--inspect=127.0.0.1:0',
  '--inspect-port=0',
  '--heapsnapshot-signal=SIGUSR2',
  '--heapsnapshot-near-heap-limit=1',
  '--heap-prof',
  '--cpu-prof',
  '--report-on-signal',
  '--abort-on-uncaught-exception',
  '--tls-keylog=keys.log',
  '--trace-tls',
  '--require=node:fs',
  '--insecure-http-parser',
  '--openssl-config=none.cnf',
];

/** Rejected variables. */
const VARIABLES: { readonly [name: string]: string } = {
  NODE_COMPILE_CACHE: 'cache',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_OPTIONS: '--max-old-space-size=256',
  NODE_V8_COVERAGE: 'coverage',
  NODE_DEBUG: 'tls',
  OPENSSL_CONF: 'none.cnf',
  OPENSSL_MODULES: '.',
  LD_LIBRARY_PATH: '.',
  SECP256K1_NATIVE_PREBUILD: '.',
};

describe('In production', () => {
  const place = useWorkplace([], { NODE_ENV: 'production' });
  afterEach(() => {
    place.launcher = [];
    for (const name of Object.keys(VARIABLES)) delete place.environment[name];
  });

  it('the service does not start with node options that expose it, and names each', async () => {
    place.launcher = withNodeOptions(...OPTIONS);
    const stderr = await refusal();
    for (const option of OPTIONS) expect(stderr).to.include(`  the option ${option.split('=')[0]} is set: `);
  });

  it('the service does not start with environment variables that expose it, and names each', async () => {
    Object.assign(place.environment, VARIABLES);
    const stderr = await refusal();
    for (const name of Object.keys(VARIABLES)) expect(stderr).to.match(new RegExp(`^  ${name}(?:=0)? is set: `, 'm'));
  });

  async function refusal(): Promise<string> {
    const { exitCode, stderr, stdout } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('The service did not start').and.include('try again');
    expect(stderr).to.not.match(/^\s+at /m);
    expect(stdout).to.equal('');
    // A start touches the audit file first, before any key.
    expect(existsSync(place.path('audit.jsonl'))).to.equal(false);
    return stderr;
  }

  it('the serve command does not start with them either', async () => {
    place.environment['NODE_OPTIONS'] = '--max-old-space-size=256';
    const { exitCode, stderr } = await place.command('serve');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('NODE_OPTIONS is set');
  });

  for (const command of ['init', 'account list', 'master-key rotate', 'demo']) {
    it(`the command ${command} is refused under a debugger, before it touches a key`, async () => {
      place.launcher = withNodeOptions('--inspect=127.0.0.1:0');
      const before = readFileSync(place.path('master.key'));
      const { exitCode, stderr, stdout } = await place.command(...command.split(' '));
      expect(exitCode).to.equal(2);
      expect(stderr).to.include('The command was rejected').and.include('--inspect');
      expect(stdout).to.equal('');
      expect(readFileSync(place.path('master.key'))).to.deep.equal(before);
    });
  }

  it('doctor still runs, and reports it', async () => {
    place.launcher = withNodeOptions('--inspect=127.0.0.1:0');
    const { exitCode, stdout } = await place.command('doctor');
    expect(exitCode).to.equal(2);
    expect(stdout).to.match(/fail +debugging +.*--inspect/);
  });
}).timeout(60_000);

describe('Outside production', () => {
  const place = useWorkplace();

  it('the service starts with a debugger, and logs a warning', async () => {
    place.launcher = withNodeOptions('--inspect=127.0.0.1:0');
    const child = place.spawn('main.js', []);
    const line = JSON.parse(await child.waitForLine(/Other processes can inspect this process/));
    expect(line.level).to.equal('warn');
    expect(line.facts.found.join()).to.include('--inspect').and.include('the debugger is open');
  });
}).timeout(60_000);
