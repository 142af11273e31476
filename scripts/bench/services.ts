import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TEST_CERTIFICATE } from '../../tests/harness/certificates.ts';
import {
  accountName,
  formatCredentials,
  makeAccounts,
  replaceFile,
  type SealedAccount,
} from '../../tests/harness/generated-accounts.ts';
import { imagePlace, startUnread } from '../../tests/harness/image-service.ts';
import type { Workplace } from '../../tests/harness/service-process.ts';
import type { Pace, Reply } from '../load/load.ts';
import {
  batchRequest,
  findSigner,
  type SigningRequest,
  signingTask,
  singleRequest,
  toItems,
} from '../load/signing-requests.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import type { BareServerTask } from './bare-server.ts';
import type { Target, Work } from './rounds.ts';

const ACCOUNTS = 1000;
/** Distinct requests. */
const SINGLES = 1024;
const BATCHES = 40;
const BATCH_ITEMS = 100;
/** Checked items of a response. */
const CHECKED_ITEMS = 5;

/** Platforms of generated accounts: gamma has a policy. */
export type Platform = 'alpha' | 'beta' | 'gamma';

const POLICY = {
  name: 'five-terms',
  accounts: ['gamma/*'],
  effect: 'allow',
  when: 'signed.message.side == "buy" && signed.message.market.endsWith("-USDC") && decimal(signed.message.amount) <= 10 && signed.message.call > 0 && principal == "anonymous"',
};

/** Master key and credentials of a thousand accounts, for services that run as in the image. */
export class Installation {
  readonly #place: Workplace;
  readonly #cleanup: Cleanup;
  readonly #accounts: readonly SealedAccount[];

  private constructor(place: Workplace, cleanup: Cleanup, accounts: readonly SealedAccount[]) {
    this.#place = place;
    this.#cleanup = cleanup;
    this.#accounts = accounts;
  }

  static async create(cleanup: Cleanup): Promise<Installation> {
    const place = await imagePlace();
    cleanup.add(() => place.remove());
    const accounts = makeAccounts(place.path('master.key'), ACCOUNTS);
    replaceFile(place.path('credentials.json'), formatCredentials(accounts, { policies: [POLICY] }));
    return new Installation(place, cleanup, accounts);
  }

  /** A path beside the credentials. */
  path(name: string): string {
    return this.#place.path(name);
  }

  /** Starts a service with its own audit file, its log on the null device. */
  async start({ isHttps = false } = {}): Promise<Target> {
    const tls = { SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile, SIGNING_TLS_KEY_FILE: TEST_CERTIFICATE.keyFile };
    const place = await imagePlace({
      NODE_ENV: 'production',
      SIGNING_CREDENTIALS_FILE: this.#place.path('credentials.json'),
      SIGNING_MASTER_KEY_FILE: this.#place.path('master.key'),
      ...(isHttps && tls),
    });
    this.#cleanup.add(() => place.remove());
    const { url, process } = await startUnread(place);
    const ca = isHttps && { ca: readFileSync(TEST_CERTIFICATE.certFile, 'utf8') };
    return { port: Number(new URL(url).port), pid: process.pid, ...ca };
  }

  /** Single signatures of a platform's accounts. */
  singles(platform: Platform, pace: Pace = { callers: 64 }, payloadBytes?: number): Work<SigningRequest> {
    const tasks = this.#tasks(platform, SINGLES, payloadBytes);
    return { requests: tasks.map(singleRequest), signaturesPerRequest: 1, pace, check: (reply) => this.#check(reply) };
  }

  /** Batches of 100; four callers keep a service busy and send batches in sequence. */
  batches(platform: Platform, payloadBytes?: number): Work<SigningRequest> {
    const requests = Array.from({ length: BATCHES }, () =>
      batchRequest(this.#tasks(platform, BATCH_ITEMS, payloadBytes)),
    );
    const check = (reply: Reply<SigningRequest>) => this.#check(reply);
    return { requests, signaturesPerRequest: BATCH_ITEMS, pace: { callers: 4 }, check };
  }

  #tasks(platform: Platform, count: number, payloadBytes?: number) {
    const numbers = [...this.#accounts.keys()].filter((number) => accountName(number).platformId === platform);
    return Array.from({ length: count }, (_, index) =>
      signingTask(numbers[(index * 7) % numbers.length] ?? 0, payloadBytes),
    );
  }

  #check(reply: Reply<SigningRequest>): void {
    for (const { task, signature, errorCode } of toItems(reply).slice(0, CHECKED_ITEMS)) {
      const publicKey = this.#accounts[task.account]?.publicKey ?? '';
      if (signature !== null && findSigner(task, signature, [publicKey]) === publicKey) continue;
      throw new Error(`Account ${task.account}: ${errorCode ?? 'a signature that is not its own'}`);
    }
  }
}

/**
 * Node's HTTP server with a recorded response of a service.
 * @param appendTo file that gets the bytes of a record before each response; null for none
 */
export async function startBareServer({ port }: Target, appendTo: string | null, cleanup: Cleanup): Promise<Target> {
  const { path, body } = singleRequest(signingTask(0));
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`The service responded with ${response.status}.`);
  const child = fork(resolve(import.meta.dirname, 'bare-server.ts'), { execArgv: ['--import', 'tsx'] });
  cleanup.add(() => void child.kill());
  const task: BareServerTask = { headers: [...response.headers], body: await response.text(), appendTo };
  child.send(task);
  const [barePort] = await once(child, 'message');
  return { port: Number(barePort), pid: Number(child.pid) };
}
