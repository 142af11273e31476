import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AuditedAccount } from '../../tests/harness/audited-usage.ts';
import { ready } from '../../tests/harness/image-service.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { verifyChain } from '../../tests/harness/verified-chain.ts';
import { freePort } from '../../tests/programs/free-port.ts';

/** Signatures by `platformId/accountId`, of accounts that have signed. */
export type Totals = ReadonlyMap<string, number>;

export function toTotals(accounts: readonly Omit<AuditedAccount, 'errorCount'>[]): Totals {
  const used = accounts.filter(({ totalSigns }) => totalSigns > 0);
  return new Map(used.map(({ platformId, accountId, totalSigns }) => [`${platformId}/${accountId}`, totalSigns]));
}

const LAG_MS = 15_000;
const POLL_MS = 200;

/** Polls totals that are not as expected until they are, or the time to catch up has passed. */
export async function awaitTotals(replicas: readonly Replica[], expected: Totals): Promise<boolean> {
  for (const limit = performance.now() + LAG_MS; performance.now() < limit; await sleep(POLL_MS)) {
    const totals = await Promise.all(replicas.map((replica) => replica.totals()));
    if (totals.every((each) => isDeepStrictEqual(each, expected))) return true;
  }
  return false;
}

/** A service with shared credentials, its own audit chain and a fixed port. */
export class Replica {
  readonly name: string;
  readonly port: number;
  readonly #place: Workplace;
  #service: ServiceProcess | null = null;

  private constructor(name: string, port: number, place: Workplace) {
    this.name = name;
    this.port = port;
    this.#place = place;
  }

  /** @param shared has credentials and master key */
  static async create(name: string, shared: Workplace, redisUrl: string, settings = {}): Promise<Replica> {
    const port = await freePort();
    const place = new Workplace({
      ...settings,
      SIGNING_REDIS_URL: redisUrl,
      SIGNING_PORT: String(port),
      SIGNING_INSTANCE_ID: name,
      SIGNING_CREDENTIALS_FILE: shared.path('credentials.json'),
      SIGNING_MASTER_KEY_FILE: shared.path('master.key'),
    });
    place.keptOutput = 100_000;
    // Creates the audit key, the only missing file.
    await place.done('init');
    return new Replica(name, port, place);
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    this.#service = await this.#place.start();
    await ready(this.#service.url);
  }

  /** SIGKILL; resolves at the exit. */
  async kill(): Promise<void> {
    await this.#service?.process.kill();
  }

  /** SIGTERM. @throws Error unless it exits with 0 */
  async stop(): Promise<void> {
    const ended = await this.#service?.stop();
    if (ended?.exitCode !== 0) throw new Error(`${this.name} ended with ${ended?.exitCode}: ${ended?.stderr}`);
  }

  /** Usage totals of its account list. */
  async totals(): Promise<Totals> {
    const accounts = (await this.#service?.get('/accounts'))?.body.data.accounts ?? [];
    return toTotals(accounts.map((account: { usage: object }) => ({ ...account, ...account.usage })));
  }

  /** Whether it shares rate limits and usage: `current`, or what its status says instead. */
  async sharing(): Promise<readonly string[]> {
    const { rateLimits, usage } = (await this.#service?.get('/status'))?.body.data ?? {};
    return [rateLimits?.state, usage?.state];
  }

  /** Folder of its audit files. */
  get folder(): string {
    return this.#place.folder;
  }

  /** Public key of its audit files. */
  get publicKeyFile(): string {
    return this.#place.path('audit.key.pub');
  }

  /** `sha256:<hex>` of all recorded signatures; verifies the records. */
  recordedSignatures(): readonly string[] {
    const publicKey = createPublicKey(readFileSync(this.publicKeyFile));
    const { records } = verifyChain(this.#place.folder, { publicKey, isKilled: true });
    return records.flatMap(({ event, signatureDigest }) => (event === 'sign' ? (signatureDigest ?? []) : []));
  }

  async remove(): Promise<void> {
    await this.#place.remove();
  }
}
