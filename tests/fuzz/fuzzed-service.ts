import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import { isEd25519Signature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';
import { valueOptions } from '../e2e/signing-proofs.ts';
import { auditedUsage } from '../harness/audited-usage.ts';
import { AccountMaker, accountName, formatCredentials, replaceFile } from '../harness/generated-accounts.ts';
import { imagePlace, ready } from '../harness/image-service.ts';
import type { Answer, Ended, ServiceProcess, Workplace } from '../harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { AUTHORITY, FUZZED_ACCOUNT, FUZZED_PLATFORMS, SERVICE, SERVICE_TOKEN } from './base-requests.ts';
import { LIMITED_ACCOUNT } from './caller-cases.ts';
import { findFileError, LogMonitor } from './invariants.ts';
import { SMUGGLED_ACCOUNT } from './smuggling-cases.ts';

/** Enough for a streamed list. */
const MANY_ACCOUNTS = 6000;

/** Used by {@link FuzzedService.witnessSignature} only. */
const WITNESS_ACCOUNT = { platformId: 'texts', accountId: 'witness' } as const;

/** Defences that are off by default. */
const DEFENCES = { SIGNING_AUTH: 'optional', SIGNING_RATE_LIMIT_PER_ACCOUNT: '1000000' };

/** Files of `SIGNING_AUTH`, with their content. */
const AUTH_FILES = [
  ['SIGNING_AUTH_AUTHORITIES_FILE', 'auth-authorities.txt', AUTHORITY.publicKey.toString('hex')],
  ['SIGNING_AUTH_KEY_FILE', 'auth.key', SERVICE.seed.toString('hex')],
  ['SIGNING_AUTH_TOKEN_FILE', 'auth-token.txt', SERVICE_TOKEN.toString('base64')],
] as const;

const MEMORY_FILE = 'memory.jsonl';
const MEMORY_OPTIONS = ['--expose-gc', '--import', join(PROJECT_ROOT, 'tests/fuzz/report-memory.mjs')];
const MEMORY_LIMIT_MS = 10_000;

const SETTLE_MS = 15_000;
const REQUEST_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

/** Bytes after a garbage collection. */
interface MemoryReport {
  readonly rss: number;
  /** Heap and buffers. */
  readonly live: number;
  /** Resident beyond the heap. */
  readonly native: number;
}

/** The differences between the services. */
export interface FuzzedKind {
  readonly environment: { readonly [name: string]: string };
  /** Client certificate of ordinary callers; null for none. */
  readonly client: SecureContext | null;
  /** Null: no restrictions. */
  readonly permissions: readonly PermissionEntry[] | null;
}

/** A fuzzed service, observed from outside. */
export class FuzzedService {
  readonly name: string;
  readonly place: Workplace;
  readonly memory: MemoryReport[] = [];
  readonly logMonitor = new LogMonitor();
  readonly #client: SecureContext | null;
  #service: ServiceProcess;
  #sockets = 0;
  #ended: Ended | null = null;
  #witnessed = 0;

  private constructor(name: string, place: Workplace, client: SecureContext | null, service: ServiceProcess) {
    this.name = name;
    this.place = place;
    this.#client = client;
    this.#service = service;
  }

  /**
   * Starts a service with the options of the image; resolves when it is ready.
   */
  static async start(name: string, { environment, client, permissions }: FuzzedKind): Promise<FuzzedService> {
    const place = await imagePlace({ ...environment, ...DEFENCES });
    for (const { platformId, options, algorithm } of FUZZED_PLATFORMS) {
      await place.prepare('platform', 'add', '--platform', platformId, ...options);
      const ids = ['--platform', platformId, '--account', FUZZED_ACCOUNT];
      const key = algorithm.startsWith('hmac') ? ['--key-file', secretFile(place)] : [];
      const values = algorithm === 'starknet' ? valueOptions(algorithm) : [];
      await place.prepare('account', 'add', ...ids, '--algorithm', algorithm, ...key, ...values);
    }
    for (const { platformId, accountId } of [SMUGGLED_ACCOUNT, WITNESS_ACCOUNT, LIMITED_ACCOUNT]) {
      const ids = ['--platform', platformId, '--account', accountId];
      await place.prepare('account', 'add', ...ids, '--algorithm', 'ed25519');
    }
    addMany(place, permissions);
    for (const [setting, file, content] of AUTH_FILES) {
      writeFileSync(place.path(file), `${content}\n`, { mode: 0o600 });
      place.environment[setting] = place.path(file);
    }
    place.launcher = withNodeOptions(...START_OPTIONS, ...MEMORY_OPTIONS);
    place.environment['FUZZ_MEMORY_FILE'] = place.path(MEMORY_FILE);
    // Keeps glibc from retaining freed memory, which hides leaks (mallopt(3), M_MMAP_THRESHOLD).
    place.environment['MALLOC_MMAP_THRESHOLD_'] = '131072';
    const fuzzed = new FuzzedService(name, place, client, await place.start());
    await fuzzed.#watch();
    return fuzzed;
  }

  get url(): string {
    return this.#service.url;
  }

  get port(): number {
    return Number(new URL(this.#service.url).port);
  }

  /** The operators' listener, or the only port. */
  get adminPort(): number {
    return Number(new URL(this.#service.adminUrl ?? this.#service.url).port);
  }

  get isAlive(): boolean {
    return this.#ended === null;
  }

  /** Exit status and last output; null while running. */
  get lastWords(): string | null {
    if (this.#ended === null) return null;
    const { exitCode, stderr, stdout } = this.#ended;
    return `${this.name} ended with ${exitCode ?? 'a signal'}: ${(stderr || stdout).slice(-2000)}`;
  }

  /** Restarts an ended process on the same files. */
  async revive(): Promise<void> {
    if (this.isAlive) return;
    this.#service = await this.place.start();
    this.#ended = null;
    await this.#watch();
  }

  async #watch(): Promise<void> {
    const { process, url } = this.#service;
    process.onLine((line) => this.logMonitor.read(line));
    void process.ended().then((ended) => {
      this.#ended = ended;
    });
    // fetch does not trust the test certificate.
    if (url.startsWith('http:')) await ready(url);
    this.#sockets = openSockets(process.pid);
  }

  /** Collects garbage and measures the rest. */
  async measureMemory(): Promise<void> {
    const reports = () => {
      const path = this.place.path(MEMORY_FILE);
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    };
    const before = reports().length;
    const limit = performance.now() + MEMORY_LIMIT_MS;
    this.#service.process.signal('SIGWINCH');
    while (reports().length === before && performance.now() < limit) await sleep(POLL_MS);
    const line = reports()[before];
    if (line !== undefined) this.memory.push(JSON.parse(line));
  }

  /** Signs as an ordinary caller and verifies with OpenSSL; returns what is wrong, or null. */
  async witnessSignature(): Promise<string | null> {
    const message = `witness ${this.#witnessed}`;
    try {
      const content = { ...WITNESS_ACCOUNT, data: { text: message } };
      const { status, body } = await this.#request(`${this.url}/api/v1/sign`, content);
      if (status !== 200) return `a valid request got ${JSON.stringify(body)}`;
      this.#witnessed += 1;
      const { signature, publicKey } = body.data;
      const isRight = isEd25519Signature(publicKey, Buffer.from(message), signatureBytes(signature, 'base58'));
      return isRight ? null : 'a signature is wrong';
    } catch (error) {
      return `a valid request got no response: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Null once nothing is in flight and all sockets are closed. */
  async findUnsettled(): Promise<string | null> {
    const limit = performance.now() + SETTLE_MS;
    for (;;) {
      const { load } = (await this.#status()).body.data;
      const sockets = openSockets(this.#service.process.pid) - this.#sockets;
      if (load.inFlight + load.queued + load.heldBytes === 0 && sockets <= 0) return null;
      if (performance.now() > limit) return `there is still load ${JSON.stringify(load)}, and ${sockets} open sockets`;
      await sleep(POLL_MS);
    }
  }

  /**
   * Stops the service and checks its exit and audit files.
   * @param seen signatures in complete responses
   */
  async stopAndCheck(seen: number): Promise<readonly string[]> {
    const reported = (await this.#status()).body.data.performance.totalSigns;
    const { exitCode, stderr } = await this.#service.stop();
    const file = this.place.path('audit.jsonl');
    const { totalSigns, accounts } = await auditedUsage(this.place, [file]);
    const countSignatures = (account: { readonly platformId: string; readonly accountId: string }) =>
      accounts.find((one) => one.platformId === account.platformId && one.accountId === account.accountId)
        ?.totalSigns ?? 0;
    const min = seen + this.#witnessed;
    const [witnessed, smuggled] = [countSignatures(WITNESS_ACCOUNT), countSignatures(SMUGGLED_ACCOUNT)];
    const errors = [
      exitCode === 0 ? null : `it ended with ${exitCode}`,
      stderr === '' ? null : `it wrote to standard error: ${stderr.slice(0, 1000)}`,
      await findFileError(file),
      reported === totalSigns ? null : `its status has ${reported} signatures, its audit file ${totalSigns}`,
      totalSigns >= min ? null : `${min} signatures were seen, ${totalSigns} are on record`,
      witnessed === this.#witnessed
        ? null
        : `of ${this.#witnessed} signatures of an account ${witnessed} are on record`,
      smuggled === 0 ? null : `${smuggled} requests were smuggled and signed`,
    ];
    return errors.filter((error) => error !== null);
  }

  #status(): Promise<Answer> {
    return this.#request(`${this.#service.adminUrl ?? this.url}/api/v1/status`);
  }

  /** Uses a new connection and does not verify the test certificate. */
  #request(url: string, content?: object): Promise<Answer> {
    const send = url.startsWith('https:') ? requestTls : requestPlain;
    const options = {
      agent: false,
      rejectUnauthorized: false,
      ...(this.#client !== null && { secureContext: this.#client }),
      timeout: REQUEST_TIMEOUT_MS,
      method: content === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
    };
    return new Promise((resolve, reject) => {
      const sent = send(url, options, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }), reject);
      });
      sent.once('timeout', () => sent.destroy(new Error(`no response within ${REQUEST_TIMEOUT_MS} ms`)));
      sent.once('error', reject);
      sent.end(content === undefined ? undefined : JSON.stringify(content));
    });
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
  const many = JSON.parse(formatCredentials(accounts));
  const content = {
    ...own,
    platforms: [...own.platforms, ...many.platforms],
    accounts: [...own.accounts, ...many.accounts],
    ...(permissions !== null && { permissions }),
  };
  replaceFile(file, JSON.stringify(content));
}

/** Socket descriptors (proc_pid_fd(5)). */
function openSockets(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
