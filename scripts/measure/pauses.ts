import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { defaultAlgorithms } from '../../src/domain/payload/complete-platform.ts';
import type { KnownRule } from '../../src/domain/payload/payload-rules.ts';
import { requiredValues } from '../../src/domain/payload/payload-rules.ts';
import { getSignedReader } from '../../src/domain/policy/signed-reader.ts';
import { startUnread } from '../../tests/harness/image-service.ts';
import { printTable } from '../../tests/harness/print.ts';
import { cpuSeconds } from '../../tests/harness/process-use.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { RULE_CONFIGURATIONS } from '../../tests/property/rule-configurations.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { type HostileData, hostileData } from './hostile-data.ts';
import { Limits } from './limits.ts';

/*
 * The longest pause of the event loop that one caller can cause: gives each payload rule bodies of
 * 1 MiB in many shapes, alone and as batches, with a policy that reads all that is signed. Prints
 * the worst accepted and refused ones of each rule. Exit code 1 if a pause reaches the limit. Ten
 * minutes; with names of rules, only those.
 *
 * npm run measure -- pauses [--rule NAME]...
 */

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
  readonly cpuMs: number;
  /** Longest time between two turns of the event loop. */
  readonly pauseMs: number;
}

type Rules = readonly (readonly [platformId: string, rule: KnownRule])[];

function listRules(): Rules {
  const { rule: wanted = [] } = parseArgs({ options: { rule: { type: 'string', multiple: true } } }).values;
  return Object.entries(RULE_CONFIGURATIONS)
    .filter(([, { rule }]) => wanted.length === 0 || wanted.includes(rule))
    .map(([name, rule]) => [name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), rule]);
}

/** A condition over all that policies can read of a rule, which no request fulfils. */
function conditionFor(rule: KnownRule): string {
  const terms = Object.entries(getSignedReader(rule).fields).map(([name, type]) => {
    if (type.startsWith('list')) return `size(signed.${name}) == 4711`;
    if (type === 'int') return `signed.${name} == 4711`;
    return type.startsWith('map') ? `"none" in signed.${name}` : `signed.${name} == "NONE"`;
  });
  return terms.length === 0 ? 'principal == "none"' : terms.join(' || ');
}

/** A service with a platform, an account and a policy for each rule. */
async function start(rules: Rules, cleanup: Cleanup): Promise<ServiceProcess> {
  const place = new Workplace({ SIGNING_LOG_LEVEL: 'error' });
  cleanup.add(() => place.remove());
  await place.prepare('init');
  const file = place.path('credentials.json');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  for (const [platformId, payload] of rules) {
    const algorithms = defaultAlgorithms('any', payload).slice(0, 1);
    document.platforms.push({ platformId, format: 'any', payload, algorithms });
  }
  document.policies = rules.map(([platformId, rule]) => ({
    ...{ name: platformId, accounts: [`${platformId}/*`], effect: 'deny', mode: 'audit', when: conditionFor(rule) },
  }));
  writeFileSync(file, JSON.stringify(document));
  for (const [platformId, rule] of rules) {
    const values = requiredValues(rule).flatMap((name) => ['--value', `${name}=0x5`]);
    await place.prepare('account', 'add', '--platform', platformId, '--account', 'main', ...values);
  }
  return startUnread(place);
}

/** @returns the status; 0 without a response in time */
async function post({ url }: ServiceProcess, path: string, body: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(CALL_MS) };
  return fetch(`${url}/api/v1${path}`, request).then(
    ({ status }) => status,
    () => 0,
  );
}

/** The longest pause since the last call, milliseconds: prom-client starts again with each page. */
async function readPause({ url }: ServiceProcess): Promise<number> {
  // The lag is sampled every 10 ms.
  await sleep(25);
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(page)?.[1]) * 1000;
}

/** Sends a body until a pause is short enough, and returns the reading with the shortest one. */
async function measureBody(service: ServiceProcess, name: string, path: string, makeBody: () => string) {
  const readings: Measured[] = [];
  while (readings.length < READINGS && readings.every(({ pauseMs }) => pauseMs >= MAX_PAUSE_MS / 2)) {
    const body = makeBody();
    await readPause(service);
    const cpu = cpuSeconds(service.process.pid);
    const status = await post(service, path, body);
    const cpuMs = (cpuSeconds(service.process.pid) - cpu) * 1000;
    readings.push({ name, status, cpuMs, pauseMs: await readPause(service) });
  }
  return readings.reduce((best, next) => (next.pauseMs < best.pauseMs ? next : best));
}

function makeSingle(platformId: string, { make }: HostileData): string {
  return JSON.stringify({ platformId, accountId: 'main', data: make() });
}

/** The items that fit in a body, at most so many. */
function makeBatch(platformId: string, items: number, data: HostileData): string {
  const requests: string[] = [];
  let length = 20;
  while (requests.length < items) {
    const item = `{"requestId":"${requests.length}",${makeSingle(platformId, data).slice(1)}`;
    length += Buffer.byteLength(item) + 1;
    if (length > BODY_BYTES) break;
    requests.push(item);
  }
  return `{"requests":[${requests.join()}]}`;
}

/** The body with the longest pause, by kind. */
async function findWorst(service: ServiceProcess, platformId: string, rule: KnownRule) {
  const worst: { [kind: string]: Measured } = {};
  const keep = (kind: string, measured: Measured) => {
    if (measured.pauseMs > (worst[kind]?.pauseMs ?? 0)) worst[kind] = measured;
  };
  const tried = new Set<string>();
  for (const { place, make } of hostileData(rule)) {
    if (tried.has(place) || !(await acceptsSome(service, platformId, make(PROBE_BYTES)))) continue;
    tried.add(place);
    for (const data of make(BODY_BYTES - 1000)) {
      const measured = await measureBody(service, data.name, '/sign', () => makeSingle(platformId, data));
      keep(measured.status === 200 ? 'accepted' : 'refused', measured);
    }
    for (const items of tried.size > BATCHED_GROUPS ? [] : BATCHES) {
      for (const data of make(Math.floor(BODY_BYTES / items) - 300)) {
        const makeBody = () => makeBatch(platformId, items, data);
        keep('batch', await measureBody(service, `${items} × ${data.name}`, '/sign/batch', makeBody));
      }
    }
  }
  return worst;
}

/** Whether the rule of a platform signs any of these. */
async function acceptsSome(service: ServiceProcess, platformId: string, group: readonly HostileData[]) {
  for (const data of group) {
    if ((await post(service, '/sign', makeSingle(platformId, data))) === 200) return true;
  }
  return false;
}

async function measure(cleanup: Cleanup): Promise<boolean> {
  const rules = listRules();
  const service = await start(rules, cleanup);
  const table: { [row: string]: object } = {};
  let longestMs = 0;
  for (const [platformId, rule] of rules) {
    for (const [kind, { name, status, cpuMs, pauseMs }] of Object.entries(await findWorst(service, platformId, rule))) {
      const row = { 'CPU ms': Math.round(cpuMs), 'pause ms': Math.round(pauseMs), status, body: name };
      table[`${platformId}, ${kind}`] = row;
      longestMs = Math.max(longestMs, pauseMs);
    }
  }
  printTable(table);
  const limits = new Limits();
  limits.below('longest pause', longestMs, MAX_PAUSE_MS, 'ms');
  return limits.allHold;
}

await runBounded(LIMIT_MS, measure);
