import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from './service-process.ts';
import { withNodeOptions } from './start-options.ts';

/** Options of node, or variables, and what the refusal has to name. */
const SWITCHES: readonly (readonly [
  options: readonly string[],
  environment: { readonly [name: string]: string },
  named: string,
])[] = [
  [['--inspect=127.0.0.1:0'], {}, '--inspect'],
  [['--inspect-port=0'], {}, '--inspect-port'],
  [['--heapsnapshot-signal=SIGUSR2'], {}, '--heapsnapshot-signal'],
  [['--heapsnapshot-near-heap-limit=1'], {}, '--heapsnapshot-near-heap-limit'],
  [['--heap-prof'], {}, '--heap-prof'],
  [['--cpu-prof'], {}, '--cpu-prof'],
  [['--report-on-signal'], {}, '--report-on-signal'],
  [['--abort-on-uncaught-exception'], {}, '--abort-on-uncaught-exception'],
  [['--tls-keylog=keys.log'], {}, '--tls-keylog'],
  [['--trace-tls'], {}, '--trace-tls'],
  [['--require=node:fs'], {}, '--require'],
  [['--insecure-http-parser'], {}, '--insecure-http-parser'],
  [[], { NODE_COMPILE_CACHE: 'cache' }, 'NODE_COMPILE_CACHE'],
  [[], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED=0'],
  [[], { NODE_OPTIONS: '--max-old-space-size=256' }, 'NODE_OPTIONS'],
  [[], { NODE_V8_COVERAGE: 'coverage' }, 'NODE_V8_COVERAGE'],
  [[], { NODE_DEBUG: 'tls' }, 'NODE_DEBUG'],
  [['--openssl-config=none.cnf'], {}, '--openssl-config'],
  [[], { OPENSSL_CONF: 'none.cnf' }, 'OPENSSL_CONF'],
  [[], { OPENSSL_MODULES: '.' }, 'OPENSSL_MODULES'],
  [[], { LD_LIBRARY_PATH: '.' }, 'LD_LIBRARY_PATH'],
  [[], { SECP256K1_NATIVE_PREBUILD: '.' }, 'SECP256K1_NATIVE_PREBUILD'],
];

describe('In production', () => {
  const place = new Workplace({ NODE_ENV: 'production' });
  before(() => place.prepare('init'));
  after(() => place.remove());
  afterEach(() => {
    place.launcher = [];
    for (const [, environment] of SWITCHES) for (const name of Object.keys(environment)) delete place.environment[name];
  });

  for (const [options, environment, named] of SWITCHES) {
    it(`the service does not start with ${[...options, ...Object.keys(environment)].join(' ')}, and names it`, async () => {
      place.launcher = withNodeOptions(...options);
      Object.assign(place.environment, environment);
      const { exitCode, stderr, stdout } = await place.spawn('main.js', []).ended();
      expect(exitCode).to.equal(2);
      expect(stderr).to.include('The service did not start').and.include(named).and.include('try again');
      expect(stderr).to.not.match(/^\s+at /m);
      expect(stdout).to.equal('');
      // The audit file is the first thing that a start touches, before any key.
      expect(existsSync(place.path('audit.jsonl'))).to.equal(false);
    });
  }

  it('neither does the command serve', async () => {
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
      expect(stderr).to.include('The command was refused').and.include('--inspect');
      expect(stdout).to.equal('');
      expect(readFileSync(place.path('master.key'))).to.deep.equal(before);
    });
  }

  it('doctor runs all the same, and says so', async () => {
    place.launcher = withNodeOptions('--inspect=127.0.0.1:0');
    const { exitCode, stdout } = await place.command('doctor');
    expect(exitCode).to.equal(2);
    expect(stdout).to.match(/fail +debugging +.*--inspect/);
  });

  it('the service starts without all that', async () => {
    const service = await place.start();
    expect((await service.stop()).exitCode).to.equal(0);
  });
}).timeout(60_000);

describe('Outside production', () => {
  const place = new Workplace();

  before(() => place.prepare('init'));
  after(() => place.remove());

  it('the service starts with a debugger, and warns of it in its log', async () => {
    place.launcher = withNodeOptions('--inspect=127.0.0.1:0');
    const child = place.spawn('main.js', []);
    const line = JSON.parse(await child.waitForLine(/Others can look into this process/));
    expect(line.level).to.equal('warn');
    expect(line.facts.found.join()).to.include('--inspect').and.include('the debugger is open');
  });
}).timeout(60_000);
