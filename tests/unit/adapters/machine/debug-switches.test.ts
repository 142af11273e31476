import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type DebugState, findDebugSwitches } from '../../../../src/adapters/machine/debug-switches.ts';

const CLOSED: DebugState = { execArgv: [], environment: {}, inspectorUrl: undefined, reports: false };
const PRINTER = fileURLToPath(new URL('./fixtures/print-debug-switches.js', import.meta.url));

/** Refused options; a value that must not be repeated follows `=`. */
const OPTIONS = words(`
  --inspect=0.0.0.0:9229 --inspect-brk --inspect_brk --debug-port=9230 --heapsnapshot-signal=SIGUSR2
  --heap-snapshot-on-oom --heap-prof-dir=x --build-snapshot --abort-on-uncaught-exception --hard-abort
  --report-on-signal --report_on_signal --report-dir=x --tls-keylog=x --trace-tls --cpu-prof --prof -prof --ll-prof
  --perf-basic-prof --log-all --log --logfile=x --trace --trace-event-categories=v8 --require=x -r --import=x
  --loader=x --experimental-loader --insecure-http-parser --security-revert=CVE-2023-46809
  --experimental-config-file=x --experimental-default-config-file`);

const VARIABLES = words(`
  NODE_OPTIONS NODE_V8_COVERAGE NODE_DEBUG NODE_DEBUG_NATIVE SSLKEYLOGFILE LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH
  OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES NODE_PATH NODE_COMPILE_CACHE SECP256K1_NATIVE_PREBUILD PREBUILDS_ONLY`);

const HARMLESS = words(`
  --disable-proto=delete --disallow-code-generation-from-strings --disable-sigusr1 --max-old-space-size=256
  --enable-source-maps --trace-warnings --trace-uncaught --no-deprecation --env-file=settings.env --title=--inspect
  --secure-heap=65536 dist/main.js --unhandled-rejections=strict --use-openssl-ca`);

describe('findDebugSwitches', () => {
  it('finds nothing in a process without debug switches', () => {
    expect(
      findDebugSwitches({ ...CLOSED, execArgv: HARMLESS, environment: { NODE_ENV: 'production', PATH: '/bin' } }),
    ).to.deep.equal([]);
  });

  it('finds each option, shown without its value', () => {
    for (const option of OPTIONS) {
      const found = findDebugSwitches({ ...CLOSED, execArgv: ['--disable-proto=delete', option] });
      expect(found, option).to.have.length(1);
      const name = option.split('=')[0]?.replaceAll('_', '-').replace(/^--?/, '');
      expect(found[0]).to.match(new RegExp(`^the option --?${name} is set: .+`));
    }
  });

  it('finds each variable unless it is empty, shown without its value', () => {
    for (const name of VARIABLES) {
      const found = findDebugSwitches({ ...CLOSED, environment: { [name]: '--title=hunter2' } });
      expect(found, name).to.have.length(1);
      expect(found[0])
        .to.match(new RegExp(`^${name} is set: .+`))
        .and.not.include('hunter2');
      expect(findDebugSwitches({ ...CLOSED, environment: { [name]: '' } })).to.deep.equal([]);
    }
  });

  it('finds NODE_TLS_REJECT_UNAUTHORIZED only with 0, which disables verification', () => {
    const withValue = (value: string) => ({ ...CLOSED, environment: { NODE_TLS_REJECT_UNAUTHORIZED: value } });
    expect(findDebugSwitches(withValue('0'))).to.deep.equal([
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: certificates of other servers are not verified',
    ]);
    for (const value of ['', '1', 'false']) expect(findDebugSwitches(withValue(value)), value).to.deep.equal([]);
  });

  it('finds an open inspector and diagnostic reports, regardless of how they were enabled', () => {
    expect(findDebugSwitches({ ...CLOSED, inspectorUrl: 'ws://127.0.0.1:9229/1' })).to.deep.equal([
      'the debugger is open: it can read and change all memory',
    ]);
    expect(findDebugSwitches({ ...CLOSED, reports: true })[0]).to.match(/^diagnostic reports are on/);
  });

  it('finds the switches of a real process', () => {
    const run = (options: readonly string[], environment: { readonly [name: string]: string } = {}) => {
      const { stdout, stderr } = spawnSync(process.execPath, [...options, PRINTER], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', ...environment },
      });
      return stdout === '' ? expect.fail(stderr) : JSON.parse(stdout);
    };
    expect(run([])).to.deep.equal([]);
    expect(run(['--inspect=127.0.0.1:0'])).to.include('the debugger is open: it can read and change all memory');
    const found = run([], { NODE_OPTIONS: '--report-on-signal' });
    expect(found).to.have.length(2);
    expect(found.join()).to.include('diagnostic reports are on');
  }).timeout(30_000);
});

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
