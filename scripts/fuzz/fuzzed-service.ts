import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { PermissionEntry } from '../../src/domain/model/permission-entry.ts';
import type { Answer, Ended, ServiceProcess, Workplace } from '../../tests/e2e/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../../tests/e2e/start-options.ts';
import { accountName } from '../load/account-names.ts';
import type { Sample } from '../proof/flatness.ts';
import { AccountMaker, credentialsText, replaceFile } from '../stage/sealed-accounts.ts';
import { emptyPlace, ready, residentBytes } from '../stage/sized-service.ts';
import { AUTHORITY, SERVICE, SERVICE_TOKEN } from './auth-parties.ts';
import { FUZZED_ACCOUNT, FUZZED_PLATFORMS } from './base-requests.ts';
import { LIMITED_ACCOUNT } from './fuzz-permissions.ts';
import { LeftMemory, MEMORY_OPTIONS, memoryEnvironment } from './left-memory.ts';
import { plainRequest } from './plain-request.ts';
import type { FuzzedPlaces } from './play-case.ts';
import { WatchedLog } from './service-outputs.ts';
import { SMUGGLED_ACCOUNT } from './smuggling-cases.ts';
import { WITNESS_ACCOUNT } from './witness.ts';

/** So many that the list of all is a long one, which is sent in slices. */
export const MANY_ACCOUNTS = 6000;

/** What is off unless it is set, and should stand it all the same. */
const DEFENCES = { SIGNING_AUTH: 'optional', SIGNING_RATE_LIMIT_PER_ACCOUNT: '1000000' };

/** Files of `SIGNING_AUTH`, in the place of the service. */
const AUTH_FILES = [
  ['SIGNING_AUTH_AUTHORITIES_FILE', 'auth-authorities.txt'],
  ['SIGNING_AUTH_KEY_FILE', 'auth.key'],
  ['SIGNING_AUTH_TOKEN_FILE', 'auth-token.txt'],
] as const;

const SETTLE_MS = 12_000;
/**
 * After a start without Redis, until requests that are made 28 seconds ahead (auth-cases.ts) are
 * accepted.
 */
const REPLAY_GUARD_MS = 3000;
const LOOK_MS = 50;

/** What one service is that another is not. */
export interface FuzzedKind {
  readonly environment: { readonly [name: string]: string };
  /** What ordinary callers show over HTTPS; null for nothing. */
  readonly client: SecureContext | null;
  /** Who may do what; null: everybody everything. */
  readonly permissions: readonly PermissionEntry[] | null;
}

/** One service under fire, with what is known of it from outside. */
export class FuzzedService {
  readonly name: string;
  /** What its ordinary callers show over HTTPS; null for nothing. */
  readonly client: SecureContext | null;
  readonly place: Workplace;
  readonly service: ServiceProcess;
  readonly port: number;
  /** Of the listener of operators, where it has one; else the same. */
  readonly adminPort: number;
  /** Resident bytes. */
  readonly memory: Sample[] = [];
  readonly left: LeftMemory;
  readonly #log: WatchedLog;
  readonly #sockets: number;
  readonly #begin = performance.now();
  #ended: Ended | null = null;

  private constructor(name: string, client: SecureContext | null, place: Workplace, service: ServiceProcess) {
    this.name = name;
    this.client = client;
    this.place = place;
    this.service = service;
    this.port = Number(new URL(service.url).port);
    this.adminPort = Number(new URL(service.adminUrl ?? service.url).port);
    this.left = new LeftMemory(place);
    this.#log = new WatchedLog(service.process);
    this.#sockets = openSockets(service.process.pid);
    void service.process.ended().then((ended) => {
      this.#ended = ended;
    });
  }

  /** Starts one, plain or with the certificate that is given, as the image starts it. */
  static async start(name: string, { environment, client, permissions }: FuzzedKind): Promise<FuzzedService> {
    const place = await emptyPlace({ ...environment, ...DEFENCES });
    for (const [setting, file] of AUTH_FILES) place.environment[setting] = place.path(file);
    for (const { platformId, options, algorithm } of FUZZED_PLATFORMS) {
      await place.prepare('platform', 'add', '--platform', platformId, ...options);
      const ids = ['--platform', platformId, '--account', FUZZED_ACCOUNT];
      const key = algorithm.startsWith('hmac') ? ['--key-file', secretFile(place)] : [];
      await place.prepare('account', 'add', ...ids, '--algorithm', algorithm, ...key);
    }
    for (const { platformId, accountId } of [SMUGGLED_ACCOUNT, WITNESS_ACCOUNT, LIMITED_ACCOUNT]) {
      const ids = ['--platform', platformId, '--account', accountId];
      await place.prepare('account', 'add', ...ids, '--algorithm', 'ed25519');
    }
    addMany(place, permissions);
    writeAuthority(place);
    place.launcher = withNodeOptions(...START_OPTIONS, ...MEMORY_OPTIONS);
    Object.assign(place.environment, memoryEnvironment(place));
    const service = await place.start();
    await sleep(REPLAY_GUARD_MS);
    // The certificate of the tests is not one that fetch trusts.
    if (service.url.startsWith('http:')) await ready(service.url);
    return new FuzzedService(name, client, place, service);
  }

  get log(): WatchedLog {
    return this.#log;
  }

  get #now(): number {
    return (performance.now() - this.#begin) / 1000;
  }

  /** What is left of its memory without garbage; takes a moment. */
  async measureLeft(): Promise<void> {
    await this.left.measure((name) => this.service.process.signal(name), this.#now);
  }

  sampleMemory(): void {
    this.memory.push({
      at: this.#now,
      value: residentBytes(this.service.process.pid),
    });
  }

  /** Its status report, as operators get it. */
  status(): Promise<Answer> {
    return plainRequest(`${this.service.adminUrl ?? this.service.url}/api/v1/status`, this.client);
  }

  /** Null once no socket is open but those that were when it had just started; else how many are too many. */
  async socketFault(): Promise<string | null> {
    const limit = performance.now() + SETTLE_MS;
    for (;;) {
      const open = openSockets(this.service.process.pid) - this.#sockets;
      if (open <= 0) return null;
      if (performance.now() > limit) return `${open} sockets are still open`;
      await sleep(LOOK_MS);
    }
  }

  /** Whether the process still runs. */
  get isAlive(): boolean {
    return this.#ended === null;
  }

  /** How the process ended and what it said last; null while it runs. */
  get lastWords(): string | null {
    if (this.#ended === null) return null;
    const { exitCode, stderr, stdout } = this.#ended;
    return `${this.name} ended with ${exitCode ?? 'a signal'}: ${(stderr || stdout).slice(-2000)}`;
  }

  /** Starts the process anew, on what is there, once it has ended. */
  async restart(): Promise<FuzzedService> {
    await this.service.process.kill();
    const service = await this.place.start();
    await sleep(REPLAY_GUARD_MS);
    return new FuzzedService(this.name, this.client, this.place, service);
  }
}

/** Where cases go. */
export function placesOf(
  { http, https }: { readonly http: FuzzedService; readonly https: FuzzedService },
  certificates: FuzzedPlaces['certificates'],
): FuzzedPlaces {
  return { http: http.port, https: https.port, admin: https.adminPort, certificates };
}

/** What `SIGNING_AUTH` needs: an authority, and the service's own key and token. */
function writeAuthority(place: Workplace): void {
  const texts = [AUTHORITY.publicKey.toString('hex'), SERVICE.seed.toString('hex'), SERVICE_TOKEN.toString('base64')];
  for (const [index, [, file]] of AUTH_FILES.entries()) {
    writeFileSync(place.path(file), `${texts[index]}\n`, { mode: 0o600 });
  }
}

function secretFile(place: Workplace): string {
  const path = place.path('secret');
  writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600 });
  return path;
}

function addMany(place: Workplace, permissions: readonly PermissionEntry[] | null): void {
  const file = place.path('credentials.json');
  const own = JSON.parse(readFileSync(file, 'utf8'));
  const maker = new AccountMaker(place.path('master.key'));
  const accounts = Array.from({ length: MANY_ACCOUNTS }, (_, number) => maker.make(accountName(number)));
  maker.close();
  const many = JSON.parse(credentialsText(accounts));
  const content = {
    ...own,
    platforms: [...own.platforms, ...many.platforms],
    accounts: [...own.accounts, ...many.accounts],
    ...(permissions !== null && { permissions }),
  };
  replaceFile(file, JSON.stringify(content));
}

/** Descriptors of sockets (proc_pid_fd(5)). */
function openSockets(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
