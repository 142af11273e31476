/** Options and variables that can open this process or weaken its checks. */
export interface DebugState {
  readonly execArgv: readonly string[];
  readonly environment: { readonly [name: string]: string | undefined };
  readonly inspectorUrl: string | undefined;
  /** Whether diagnostic reports are on, however enabled. */
  readonly reports: boolean;
}

/**
 * Options that expose memory, keys or TLS content, load code, or disable checks; without dashes,
 * `*` for any ending.
 *
 * Sources: https://nodejs.org/docs/latest-v24.x/api/cli.html and `node --v8-options`.
 *
 * Not listed: options that only print stacks or names (--trace-warnings, --trace-deprecation,
 * --trace-uncaught, --expose-gc), and --env-file, whose NODE_OPTIONS show in the environment.
 */
const OPTIONS: readonly { readonly danger: string; readonly options: readonly string[] }[] = [
  { danger: 'a debugger can read and change all memory', options: ['inspect*', 'debug*'] },
  {
    danger: 'memory can be written to a file',
    options: ['heapsnapshot-*', 'heap-snapshot-on-*', 'heap-prof*', 'build-snapshot*', 'abort-on-*', 'hard-abort'],
  },
  { danger: 'reports contain the environment and the stack', options: ['report-*'] },
  { danger: 'TLS keys or content are written to a file', options: ['tls-keylog', 'trace-tls'] },
  {
    danger: 'program activity is recorded or printed, including arguments',
    options: [
      ...['cpu-prof*', 'prof', 'prof-*', 'll-prof', 'perf-*', 'log', 'log-*', 'logfile*', 'gdbjit*'],
      ...['redirect-code-traces*', 'trace', 'trace-event-*', 'print-all-exceptions'],
    ],
  },
  // Such code shares the process with the keys.
  {
    danger: 'other code is loaded into the process',
    options: ['require', 'r', 'import', 'loader', 'experimental-loader', 'eval', 'e', 'print', 'p', 'snapshot-blob'],
  },
  // An OpenSSL configuration can name a provider, which is a library.
  {
    danger: 'a file can make OpenSSL load other code into the process',
    options: ['openssl-config', 'openssl-shared-config'],
  },
  {
    danger: 'malformed requests are accepted, which proxies may parse differently',
    options: ['insecure-http-parser'],
  },
  { danger: 'the fix of a known vulnerability of Node is reverted', options: ['security-revert'] },
  // Its options show neither in process.execArgv nor in NODE_OPTIONS.
  {
    danger: 'a file sets options that are not visible',
    options: ['experimental-config-file', 'experimental-default-config-file'],
  },
];

/** Environment variables: `NAME` for any non-empty value, `NAME=value` for this one. */
const VARIABLES: { readonly [name: string]: string } = {
  NODE_OPTIONS: 'it can contain any option, including those that expose the process',
  NODE_V8_COVERAGE: 'program activity is recorded in files',
  NODE_DEBUG: 'built-in modules print their data, including headers',
  NODE_DEBUG_NATIVE: 'built-in modules print their data',
  // Read by OpenSSL 3.5 builds with key logging.
  SSLKEYLOGFILE: 'TLS keys are written to a file',
  LD_PRELOAD: 'other code is loaded into the process',
  LD_AUDIT: 'other code is loaded into the process',
  LD_LIBRARY_PATH: 'other libraries replace those of the system',
  OPENSSL_CONF: 'a file can make OpenSSL load other code into the process',
  OPENSSL_MODULES: 'OpenSSL loads its providers from another folder',
  OPENSSL_ENGINES: 'OpenSSL loads its engines from another folder',
  NODE_PATH: 'modules are loaded from other folders',
  // Node runs compiled code from that folder.
  NODE_COMPILE_CACHE: 'other code is loaded into the process',
  'NODE_TLS_REJECT_UNAUTHORIZED=0': 'certificates of other servers are not verified',
  // Read by node-gyp-build for secp256k1-native; the other native modules read no variables.
  SECP256K1_NATIVE_PREBUILD: 'another library would receive the private keys',
  PREBUILDS_ONLY: 'it selects the native library that receives the private keys',
};

/** The options, variables and states that open this process, one line each with its danger. */
export function findDebugSwitches({ execArgv, environment, inspectorUrl, reports }: DebugState): readonly string[] {
  const options = execArgv.flatMap((argument) => describeOption(argument));
  const variables = Object.entries(VARIABLES)
    .filter(([entry]) => isSet(entry, environment))
    .map(([name, danger]) => `${name} is set: ${danger}`);
  // State and options can differ: SIGUSR1 before any JavaScript, or options from a file.
  const inspector = inspectorUrl === undefined ? [] : ['the debugger is open: it can read and change all memory'];
  const reporting = reports ? ['diagnostic reports are on: they contain the environment and the stack'] : [];
  return [...variables, ...options, ...inspector, ...reporting];
}

/** The state of this process. */
export function currentDebugState(environment: DebugState['environment']): DebugState {
  const { reportOnFatalError, reportOnSignal, reportOnUncaughtException } = process.report;
  return {
    execArgv: process.execArgv,
    environment,
    // Node may be built without the inspector.
    inspectorUrl: process.getBuiltinModule('node:inspector')?.url(),
    reports: reportOnFatalError || reportOnSignal || reportOnUncaughtException,
  };
}

function isSet(entry: string, environment: DebugState['environment']): boolean {
  const [name = '', value] = entry.split('=');
  const current = environment[name] ?? '';
  return value === undefined ? current !== '' : current === value;
}

/** Node accepts `_` for `-`, and V8 one dash for two. The value is not shown. */
function describeOption(argument: string): readonly string[] {
  const name = /^--?([^=]+)/.exec(argument)?.[1]?.replaceAll('_', '-');
  if (name === undefined) return [];
  const group = OPTIONS.find(({ options }) => options.some((option) => isNamed(name, option)));
  return group === undefined ? [] : [`the option ${name.length === 1 ? '-' : '--'}${name} is set: ${group.danger}`];
}

function isNamed(name: string, option: string): boolean {
  return option.endsWith('*') ? name.startsWith(option.slice(0, -1)) : name === option;
}
