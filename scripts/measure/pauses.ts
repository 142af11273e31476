import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { PayloadRule } from '../../src/domain/model/payload-rule.ts';
import { requiredValues } from '../../src/domain/payload/template.ts';
import { getSignedReader } from '../../src/domain/policy/signed-reader.ts';
import { addSigner, startUnread } from '../../tests/harness/image-service.ts';
import { print, printTable } from '../../tests/harness/print.ts';
import { Workplace } from '../../tests/harness/service-process.ts';
import { RULE_CONFIGURATIONS } from '../../tests/property/rule-configurations.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { type HostileData, hostileData } from './hostile-data.ts';
import { Limits } from './limits.ts';

/*
 * The longest pause of the event loop that one caller can cause: gives each payload rule bodies of 1
 * MiB in many shapes, alone and as batches, with a policy that reads all that is signed. Prints the
 * worst accepted and refused ones of each rule. Exit code 1 if a pause reaches the limit. Ten
 * minutes; with names of rules, only those.
 *
 * npm run measure -- pauses [--rule NAME]...
 */

/** Milliseconds. */
const MAX_PAUSE_MS = 250;
const LIMIT_MS = 1_800_000;
/** A long pause may be the machine's: the shortest of so many readings counts. */
const READINGS = 3;
const BODY_BYTES = 1_048_576;
/** Items of batches: as many as there may be, and few large ones. */
const BATCHES = [1000, 16];
/** Data of this size shows whether a configuration takes its kind. */
const PROBE_BYTES = 200;
/** Groups of hostile data that are tried in batches, too. */
const BATCHED_GROUPS = 2;
/** Callers of batches leave after so many milliseconds. */
const CALL_MS = 3000;

interface Measured {
  readonly name: string;
  readonly status: number;
  /** Processor time, milliseconds. */
  readonly cpuMs: number;
  /** Longest time between two turns of the event loop, milliseconds. */
  readonly pauseMs: number;
}

type Worst = { -readonly [Kind in 'accepted' | 'refused' | 'batch']: Measured };

/** A service with a platform, an account and a policy for each rule. */
class MeasuredService {
  readonly #url: string;
  #cpuSeconds = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether the rule of a platform signs any of these. */
  async acceptsSome(platformId: string, group: readonly HostileData[]): Promise<boolean> {
    for (const { make } of group) {
      const status = await this.#post('/sign', JSON.stringify({ platformId, accountId: 'main', data: make() }));
      if (status === 200) return true;
    }
    return false;
  }

  /** Sends a body until a pause is short enough, and returns the reading with the shortest one. */
  async measure(name: string, path: string, makeBody: () => string): Promise<Measured> {
    let best: Measured | undefined;
    for (let reading = 0; reading < READINGS && (best?.pauseMs ?? MAX_PAUSE_MS) >= MAX_PAUSE_MS / 2; reading += 1) {
      const body = makeBody();
      await this.#read();
      const status = await this.#post(path, body);
      const measured = { name, status, ...(await this.#read()) };
      if (best === undefined || measured.pauseMs < best.pauseMs) best = measured;
    }
    return best as Measured;
  }

  /** Since the last call; prom-client starts again with each page. */
  async #read(): Promise<Pick<Measured, 'cpuMs' | 'pauseMs'>> {
    // The lag is sampled every 10 ms.
    await sleep(25);
    const page = await (await fetch(`${this.#url}/metrics`)).text();
    const value = (metric: string) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(page)?.[1]);
    const cpuSeconds = value('process_cpu_seconds_total');
    const cpuMs = (cpuSeconds - this.#cpuSeconds) * 1000;
    this.#cpuSeconds = cpuSeconds;
    return { cpuMs, pauseMs: value('nodejs_eventloop_lag_max_seconds') * 1000 };
  }

  /** @returns the status; 0 without a response in time */
  async #post(path: string, body: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json', Connection: 'close' };
    const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(CALL_MS) };
    return fetch(`${this.#url}/api/v1${path}`, request).then(
      ({ status }) => status,
      () => 0,
    );
  }
}

type NamedRules = readonly (readonly [platformId: string, rule: PayloadRule])[];

function listRules(): NamedRules {
  const { rule: wanted = [] } = parseArgs({ options: { rule: { type: 'string', multiple: true } } }).values;
  return Object.entries(RULE_CONFIGURATIONS)
    .filter(([, { rule }]) => wanted.length === 0 || wanted.includes(rule))
    .map(([name, rule]) => [name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), rule]);
}

/** The algorithm that a rule requires. */
function algorithmFor(rule: PayloadRule): Algorithm {
  switch (rule.rule) {
    case 'typed-data':
    case 'hyperliquid-multi-sig':
      return 'eip712';
    case 'query':
      return rule.typedData === undefined ? 'ed25519' : 'eip712';
    case 'hyperliquid-l1':
      return 'hyperliquid-l1';
    case 'starknet-typed-data':
      return 'starknet';
    case 'cosmos-sign-doc':
      return 'cosmos';
    case 'jwt':
      return 'es256';
    default:
      return 'ed25519';
  }
}

/** A condition over all that policies can read of a rule, which no request fulfils. */
function conditionFor(rule: PayloadRule): string {
  const terms = Object.entries(getSignedReader(rule).fields).map(([name, type]) => {
    if (type.startsWith('list')) return `size(signed.${name}) == 4711`;
    if (type === 'int') return `signed.${name} == 4711`;
    return type.startsWith('map') ? `"none" in signed.${name}` : `signed.${name} == "NONE"`;
  });
  return terms.length === 0 ? 'principal == "none"' : terms.join(' || ');
}

async function start(rules: NamedRules, cleanup: Cleanup): Promise<MeasuredService> {
  const place = new Workplace({ SIGNING_LOG_LEVEL: 'error' });
  cleanup.add(() => place.remove());
  await place.prepare('init');
  await addSigner(place);
  const file = place.path('credentials.json');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.platforms.push(
    ...rules.map(([platformId, payload]) => ({
      ...{ platformId, format: 'any', payload, algorithms: [algorithmFor(payload)] },
    })),
  );
  document.policies = rules.map(([platformId, rule]) => ({
    ...{ name: platformId, accounts: [`${platformId}/*`], effect: 'deny', mode: 'audit', when: conditionFor(rule) },
  }));
  writeFileSync(file, JSON.stringify(document));
  for (const [platformId, rule] of rules) {
    const account = ['--platform', platformId, '--account', 'main', '--algorithm', algorithmFor(rule)];
    const values = requiredValues(rule).flatMap((name) => ['--value', `${name}=0x5`]);
    await place.prepare('account', 'add', ...account, ...values);
  }
  const { url } = await startUnread(place);
  return new MeasuredService(url);
}

/** The items that fit in a body, at most so many. */
function makeBatch(platformId: string, items: number, { make }: HostileData): string {
  const requests: string[] = [];
  let length = 20;
  while (requests.length < items) {
    const item = JSON.stringify({ requestId: `${requests.length}`, platformId, accountId: 'main', data: make() });
    length += Buffer.byteLength(item) + 1;
    if (length > BODY_BYTES) break;
    requests.push(item);
  }
  return `{"requests":[${requests.join()}]}`;
}

async function findWorst(service: MeasuredService, platformId: string, { rule }: PayloadRule): Promise<Partial<Worst>> {
  const worst: Partial<Worst> = {};
  const keep = (kind: keyof Worst, measured: Measured) => {
    if (measured.pauseMs > (worst[kind]?.pauseMs ?? 0)) worst[kind] = measured;
  };
  let batched = 0;
  for (const group of hostileData(rule)) {
    if (!(await service.acceptsSome(platformId, group(PROBE_BYTES)))) continue;
    for (const { name, make } of group(BODY_BYTES - 1000)) {
      const makeBody = () => JSON.stringify({ platformId, accountId: 'main', data: make() });
      const measured = await service.measure(name, '/sign', makeBody);
      keep(measured.status === 200 ? 'accepted' : 'refused', measured);
    }
    batched += 1;
    if (batched > BATCHED_GROUPS) continue;
    for (const items of BATCHES) {
      for (const data of group(Math.floor(BODY_BYTES / items) - 300)) {
        const makeBody = () => makeBatch(platformId, items, data);
        keep('batch', await service.measure(`${items} × ${data.name}`, '/sign/batch', makeBody));
      }
    }
  }
  return worst;
}

async function measure(cleanup: Cleanup): Promise<boolean> {
  const rules = listRules();
  const service = await start(rules, cleanup);
  const small = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: { a: 1 } });
  await service.measure('', '/sign', () => small);
  const { cpuMs, pauseMs } = await service.measure('', '/sign', () => small);
  print(`A small request: processor ${cpuMs.toFixed(0)} ms, pause ${pauseMs.toFixed(0)} ms, with metrics and timer`);
  const table: { [row: string]: object } = {};
  let longestMs = 0;
  for (const [platformId, rule] of rules) {
    for (const [kind, worst] of Object.entries(await findWorst(service, platformId, rule))) {
      const [cpu, pause] = [worst.cpuMs, worst.pauseMs].map(Math.round);
      table[`${platformId}, ${kind}`] = { 'CPU ms': cpu, 'pause ms': pause, status: worst.status, body: worst.name };
      longestMs = Math.max(longestMs, worst.pauseMs);
    }
  }
  printTable(table);
  const limits = new Limits();
  limits.below('longest pause', longestMs, MAX_PAUSE_MS, 'ms');
  return limits.allHold;
}

await runBounded(LIMIT_MS, measure);
