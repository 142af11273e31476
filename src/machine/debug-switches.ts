/**
 * Options and variables that decide whether this process is as closed, and as strict, as it was
 * built.
 */
export interface DebugState {
  /** Options of Node and V8, as `process.execArgv` holds them. */
  readonly execArgv: readonly string[];
  readonly environment: { readonly [name: string]: string | undefined };
  /** Where the inspector listens; undefined when it's closed. */
  readonly inspectorUrl: string | undefined;
  /** Whether anything makes Node write diagnostic reports, whatever way it was asked for. */
  readonly reports: boolean;
}

/**
 * Options that let memory, keys or the content of TLS out of the process, let other code into it,
 * or switch off checks of Node; without their dashes, `*` for any ending.
 *
 * Node's are those of https://nodejs.org/docs/latest-v24.x/api/cli.html, V8's those of `node --v8-options`.
 *
 * Not listed: options that print stacks or names alone (--trace-warnings, --trace-deprecation, --trace-uncaught, --expose-gc), and --env-file,
 * whose NODE_OPTIONS stand in the environment afterwards.
 */
const OPTIONS: readonly { readonly danger: string; readonly options: readonly string[] }[] = [
  { danger: 'a debugger reads and changes all of the memory', options: ['inspect*', 'debug*'] },
  {
    danger: 'memory is written to a file',
    options: ['heapsnapshot-*', 'heap-snapshot-on-*', 'heap-prof*', 'build-snapshot*', 'abort-on-*', 'hard-abort'],
  },
  { danger: 'reports hold the environment and what was on the stack', options: ['report-*'] },
  { danger: 'the keys or the content of TLS are written down', options: ['tls-keylog', 'trace-tls'] },
  {
    danger: 'what the program does is recorded in files or printed, arguments included',
    options: [
      ...['cpu-prof*', 'prof', 'prof-*', 'll-prof', 'perf-*', 'log', 'log-*', 'logfile*', 'gdbjit*'],
      ...['redirect-code-traces*', 'trace', 'trace-event-*', 'print-all-exceptions'],
    ],
  },
  // Such code shares the process with the keys; --loader and --experimental-loader run it beside every module.
  {
    danger: 'other code is loaded into the process',
    options: ['require', 'r', 'import', 'loader', 'experimental-loader', 'eval', 'e', 'print', 'p', 'snapshot-blob'],
  },
  // A configuration of OpenSSL can name a provider, which is a library.
  {
    danger: 'a file can have OpenSSL load other code into the process',
    options: ['openssl-config', 'openssl-shared-config'],
  },
  {
    danger: 'malformed requests are accepted, which proxies and this service may read differently',
    options: ['insecure-http-parser'],
  },
  { danger: 'the fix of a known vulnerability of Node is undone', options: ['security-revert'] },
  // Options from that file are in force and stand neither in process.execArgv nor in NODE_OPTIONS.
  {
    danger: 'a file sets options that nothing shows',
    options: ['experimental-config-file', 'experimental-default-config-file'],
  },
];

/**
 * The same for environment variables: `NAME` for any value but the empty one, which counts as not
 * set, as it does for Node; `NAME=value` for this value alone.
 */
const VARIABLES: { readonly [name: string]: string } = {
  // It may hold any of the options above, and those that load code.
  NODE_OPTIONS: 'it can hold any option, also those that open the process to others',
  NODE_V8_COVERAGE: 'what the program does is recorded in files',
  NODE_DEBUG: "Node's own modules print what passes through them, headers included",
  NODE_DEBUG_NATIVE: "Node's own modules print what passes through them",
  // OpenSSL 3.5 reads it where it was built to, and nobody sets it for another reason.
  SSLKEYLOGFILE: 'the keys of TLS are written down',
  LD_PRELOAD: 'other code is loaded into the process',
  LD_AUDIT: 'other code is loaded into the process',
  LD_LIBRARY_PATH: "other libraries are loaded in place of the system's",
  OPENSSL_CONF: 'a file can have OpenSSL load other code into the process',
  OPENSSL_MODULES: 'OpenSSL loads its providers from another folder',
  OPENSSL_ENGINES: 'OpenSSL loads its engines from another folder',
  NODE_PATH: 'modules are found in other folders',
  // Node runs compiled code from that folder in place of the modules' text.
  NODE_COMPILE_CACHE: 'other code is loaded into the process',
  'NODE_TLS_REJECT_UNAUTHORIZED=0': 'certificates of other servers are not verified',
  // How node-gyp-build finds the native part of secp256k1-native; the other native modules ask the environment nothing.
  SECP256K1_NATIVE_PREBUILD: 'another library would get the private keys',
  PREBUILDS_ONLY: 'it steers which native library gets the private keys',
};

/**
 * Each option, variable and state that opens this process or switches off a check of Node: one line
 * each, what it is and what it does.
 */
export function findDebugSwitches({ execArgv, environment, inspectorUrl, reports }: DebugState): readonly string[] {
  const options = execArgv.flatMap((argument) => describeOption(argument));
  const variables = Object.entries(VARIABLES)
    .filter(([entry]) => isSet(entry, environment))
    .map(([name, danger]) => `${name} is set: ${danger}`);
  // What Node was told and what is so can differ: SIGUSR1 may have come before any JavaScript ran, and a file may have set options.
  const inspector = inspectorUrl === undefined ? [] : ['the debugger is open: it reads and changes all of the memory'];
  const reporting = reports ? ['diagnostic reports are on: they hold the environment and what was on the stack'] : [];
  return [...variables, ...options, ...inspector, ...reporting];
}

/** The state of this very process. */
export function currentDebugState(environment: DebugState['environment']): DebugState {
  const { reportOnFatalError, reportOnSignal, reportOnUncaughtException } = process.report;
  return {
    execArgv: process.execArgv,
    environment,
    // A Node built without the inspector has no such module.
    inspectorUrl: process.getBuiltinModule('node:inspector')?.url(),
    reports: reportOnFatalError || reportOnSignal || reportOnUncaughtException,
  };
}

function isSet(entry: string, environment: DebugState['environment']): boolean {
  const [name = '', value] = entry.split('=');
  const current = environment[name] ?? '';
  return value === undefined ? current !== '' : current === value;
}

/** Node takes `_` for `-` in names, and V8 one dash for two. The value is left out: it may be anything. */
function describeOption(argument: string): readonly string[] {
  const name = /^--?([^=]+)/.exec(argument)?.[1]?.replaceAll('_', '-');
  if (name === undefined) return [];
  const group = OPTIONS.find(({ options }) => options.some((option) => isNamed(name, option)));
  return group === undefined ? [] : [`the option ${name.length === 1 ? '-' : '--'}${name} is set: ${group.danger}`];
}

function isNamed(name: string, option: string): boolean {
  return option.endsWith('*') ? name.startsWith(option.slice(0, -1)) : name === option;
}
