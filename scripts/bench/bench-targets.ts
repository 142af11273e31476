/** A ratio of two rates of one run, and what it is to reach; null for one that only says what others can reach. Its name stands in docs/performance/latest.json. */
export interface RatioTarget {
  readonly name: RatioName;
  readonly words: string;
  readonly upper: ScenarioName;
  readonly lower: ScenarioName;
  readonly atLeast: number | null;
}

/** A latency that is to stay below a limit, at a pace that the callers keep. */
export interface LatencyTarget {
  readonly name: LatencyName;
  readonly words: string;
  readonly scenario: ScenarioName;
  readonly belowMs: number;
}

/** See {@link RATIO_TARGETS}. */
export type RatioName =
  | 'singleEd25519PerBareHttp'
  | 'singleEip191PerBareHttp'
  | 'httpsPerHttp'
  | 'bareHttpsPerBareHttp'
  | 'batchEd25519PerLibsodium'
  | 'batchEip191PerLibsecp256k1'
  | 'auditOnPerOff'
  | 'manyAccountsPerFew'
  | 'twoProcessesPerOne';

/** See {@link LATENCY_TARGETS}. */
export type LatencyName = 'p99At1000PerSecondMs' | 'p99At100PerSecondMs';

/** What is measured; a service where nothing else is said. */
export const SCENARIOS = {
  bareHttp: 'bare node:http, same bytes',
  bareHttps: 'bare node:https, same bytes',
  singleEd25519: 'single ed25519, HTTP',
  singleEip191: 'single eip191, HTTP',
  httpsEd25519: 'single ed25519, HTTPS',
  batchEd25519: 'batch of 100, ed25519',
  libsodium: 'libsodium in a loop',
  batchEip191: 'batch of 100, eip191',
  libsecp256k1: 'libsecp256k1 in a loop',
  auditOn: 'single ed25519, audit on',
  auditOff: 'single ed25519, audit off',
  paced1000: 'single ed25519, 1000/s paced',
  paced100: 'single ed25519, 100/s paced',
  oneProcess: 'batches, one process',
  twoProcesses: 'batches, two processes',
  fewAccounts: 'single ed25519, 10 accounts',
  manyAccounts: 'single ed25519, 100,000 accounts',
  diskGroup1: 'disk: one record a sync',
  diskGroup64: 'disk: 64 records a sync',
} as const;

/** See {@link SCENARIOS}. */
export type ScenarioName = keyof typeof SCENARIOS;

/** What the service is to reach, the durable audit on, in one process, with 64 connections. */
export const RATIO_TARGETS: readonly RatioTarget[] = [
  {
    name: 'singleEd25519PerBareHttp',
    words: 'single ed25519 ÷ bare node:http',
    upper: 'singleEd25519',
    lower: 'bareHttp',
    atLeast: 0.33,
  },
  {
    name: 'singleEip191PerBareHttp',
    words: 'single eip191 ÷ bare node:http',
    upper: 'singleEip191',
    lower: 'bareHttp',
    atLeast: 0.25,
  },
  {
    name: 'httpsPerHttp',
    words: 'HTTPS keep-alive ÷ HTTP',
    upper: 'httpsEd25519',
    lower: 'singleEd25519',
    atLeast: 0.9,
  },
  {
    name: 'bareHttpsPerBareHttp',
    words: 'bare node:https ÷ bare node:http',
    upper: 'bareHttps',
    lower: 'bareHttp',
    atLeast: null,
  },
  {
    name: 'batchEd25519PerLibsodium',
    words: 'batches of ed25519 ÷ libsodium',
    upper: 'batchEd25519',
    lower: 'libsodium',
    atLeast: 0.5,
  },
  {
    name: 'batchEip191PerLibsecp256k1',
    words: 'batches of eip191 ÷ libsecp256k1',
    upper: 'batchEip191',
    lower: 'libsecp256k1',
    atLeast: 0.6,
  },
  { name: 'auditOnPerOff', words: 'audit on ÷ audit off', upper: 'auditOn', lower: 'auditOff', atLeast: 0.8 },
  {
    name: 'manyAccountsPerFew',
    words: '100,000 accounts ÷ 10 accounts',
    upper: 'manyAccounts',
    lower: 'fewAccounts',
    atLeast: 0.95,
  },
  {
    name: 'twoProcessesPerOne',
    words: 'two processes ÷ one',
    upper: 'twoProcesses',
    lower: 'oneProcess',
    atLeast: 1.7,
  },
];

/** What a request may take at a pace, at the 99th percentile: the median of the rounds. */
export const LATENCY_TARGETS: readonly LatencyTarget[] = [
  { name: 'p99At1000PerSecondMs', words: 'p99 at 1000 requests/s', scenario: 'paced1000', belowMs: 10 },
  { name: 'p99At100PerSecondMs', words: 'p99 at 100 requests/s', scenario: 'paced100', belowMs: 5 },
];
