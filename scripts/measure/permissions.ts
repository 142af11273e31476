import sodium from 'sodium-native';
import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import type { Account } from '../../src/domain/model/account.ts';
import { type PermissionEntry, Permissions } from '../../src/domain/model/permissions.ts';
import { Registry } from '../../src/domain/model/registry.ts';
import { AccountService } from '../../src/domain/services/account-service.ts';
import { RegistryHolder } from '../../src/domain/services/registry-holder.ts';
import { median } from '../proof/statistics.ts';

/*
 * Cost of permissions (docs/decisions/0015-permissions.md): 100,000 checks with lists of 1000
 * entries beside bare Ed25519 signatures; a caller's first check; pages of 100,000 accounts for a
 * caller with few permissions, with the longest block of the event loop. Half a minute.
 *
 * npm run measure -- permissions
 */

const CHECKS = 100_000;
const ENTRIES = 1000;
const ROUNDS = 3;
const ACCOUNTS = 100_000;
const CALLERS = 1000;

const entries = (entry: (index: number) => Partial<PermissionEntry>): readonly PermissionEntry[] =>
  Array.from({ length: ENTRIES }, (_, index) => ({
    principals: [`bot-${index}`],
    accounts: ['alpha/main'],
    operations: ['sign'],
    ...entry(index),
  }));

const LISTS: { readonly [name: string]: readonly PermissionEntry[] | null } = {
  'no list': null,
  'an entry for each caller, by name': entries(() => ({})),
  'an entry for each caller, by patterns': entries((index) => ({
    principals: [`*/bot-${index}`, `bot-${index}*`],
    accounts: ['alph*/*', 'beta/*'],
  })),
  'every entry names the caller, one in 1000 the account': entries((index) => ({
    principals: ['bot-*'],
    accounts: [index === ENTRIES - 1 ? 'alpha/main' : `alpha/account-${index}`],
  })),
  'the same by patterns that nearly match': entries((index) => ({
    principals: ['bot-*'],
    accounts: [index === ENTRIES - 1 ? '*/main' : `*a/*m*a*i*${index}`],
  })),
};

/** Median CPU milliseconds; candidates alternate, so that noise affects all alike. */
function measure(candidates: { readonly [name: string]: () => void }): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(candidates)) {
      const from = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(from);
      // The first round warms up.
      if (round > 0) times.get(name)?.push((user + system) / 1000);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

function checkAll(permissions: Permissions): void {
  for (let check = 0; check < CHECKS; check += 1) {
    const allowed = permissions.allowsOn('bot-999', 'sign', 'alpha', 'main');
    if (!allowed) throw new Error('This list allows what is asked.');
  }
}

function signAll(): void {
  const [publicKey, secretKey] = [Buffer.alloc(32), Buffer.alloc(64)];
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, Buffer.alloc(32, 1));
  const [signature, message] = [Buffer.alloc(64), Buffer.alloc(120, 'signed bytes ')];
  for (let index = 0; index < CHECKS; index += 1) sodium.crypto_sign_detached(signature, message, secretKey);
}

/** Each caller once, without cached permissions. */
function checkStrangers(list: readonly PermissionEntry[]): void {
  const permissions = new Permissions(list);
  for (let caller = 0; caller < CALLERS; caller += 1) permissions.allowsOn(`bot-${caller}`, 'sign', 'alpha', 'main');
}

function printChecks(): void {
  const checks = Object.entries(LISTS).map(([name, list]) => {
    const permissions = new Permissions(list);
    return [name, () => checkAll(permissions)] as const;
  });
  const times = measure(Object.fromEntries([...checks, ['signatures', signAll] as const]));
  const signing = times.get('signatures') ?? Number.NaN;
  process.stdout.write(
    `${CHECKS} checks, and their part of the time of as many Ed25519 signatures (${signing.toFixed(0)} ms)\n`,
  );
  for (const [name] of checks) {
    const ms = times.get(name) ?? Number.NaN;
    process.stdout.write(
      `  ${name.padEnd(56)} ${ms.toFixed(1).padStart(8)} ms  ${(ms / signing).toFixed(4).padStart(8)}\n`,
    );
  }
}

function printStrangers(): void {
  const lists = Object.entries(LISTS).flatMap(([name, list]) =>
    list === null ? [] : [[name, () => checkStrangers(list)] as const],
  );
  process.stdout.write(`\nThe first check of a caller, the making of the list shared by ${CALLERS} of them\n`);
  for (const [name, ms] of measure(Object.fromEntries(lists))) {
    process.stdout.write(`  ${name.padEnd(56)} ${((ms / CALLERS) * 1000).toFixed(1).padStart(8)} µs\n`);
  }
}

async function printPages(): Promise<void> {
  const registry = new RegistryHolder();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    createAccount(`account-${String(index).padStart(6, '0')}`),
  );
  const few = ['alpha/account-000000', 'alpha/*99999'];
  registry.replace(
    new Registry(
      [],
      accounts,
      undefined,
      new Permissions(entries(() => ({ principals: ['bot-999'], accounts: few, operations: ['read'] })).slice(0, 1)),
    ),
    '',
  );
  const service = new AccountService(registry, new MemoryUsageLedger(), new SystemClock());
  const page = async () => {
    const found = await service.page({ principal: 'bot-999' }, { limit: 2, after: null });
    if (!found.ok || found.value.accounts.length !== 2)
      throw new Error('The first and the last account are on one page.');
  };
  await page();
  const [times, longest]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const watch = watchEventLoop();
    const from = performance.now();
    await page();
    times.push(performance.now() - from);
    longest.push(watch.stop());
  }
  process.stdout.write(
    `\nA page of 2 accounts, the first and the last of ${ACCOUNTS}: ${median(times).toFixed(0)} ms, in slices of which the longest took ${median(longest).toFixed(1)} ms\n`,
  );
}

/** Longest event-loop delay, milliseconds. */
function watchEventLoop(): { stop(): number } {
  let [last, longest, isStopped] = [performance.now(), 0, false];
  const check = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isStopped) setImmediate(check);
  };
  setImmediate(check);
  return {
    stop: () => {
      isStopped = true;
      return longest;
    },
  };
}

function createAccount(accountId: string): Account {
  return {
    accountId,
    platformId: 'alpha',
    alias: accountId,
    status: 'active',
    environment: 'production',
    algorithm: 'ed25519',
    publicKey: 'PublicKey',
    createdAt: '2026-11-20T00:00:00.000Z',
    key: { id: accountId },
    keyId: 'key',
  };
}

printChecks();
printStrangers();
await printPages();
