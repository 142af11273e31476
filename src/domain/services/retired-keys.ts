import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import { type Account, toAccountName } from '../model/account.ts';
import type { Registry } from '../model/registry.ts';
import { listChangedFields } from './difference.ts';

const MS_PER_SECOND = 1000;

/** A replaced key that is kept. */
interface RetiredKey {
  /** The account with its previous key and values. */
  readonly account: Account;
  /** Monotonic clock. */
  readonly endsAt: number;
}

/** Which accounts have a retired key. */
type AccountIds = Pick<Account, 'platformId' | 'accountId'>;

/**
 * Keys that a reload replaced and that stay in the vault for the overlap of their account: the
 * requests that were checked before the reload finish with them, and their signatures verify. No
 * later request is signed with them. One key per account: the last one replaced.
 */
export class RetiredKeys {
  readonly #keyStore: KeyStore;
  readonly #clock: Clock;
  readonly #kept = new Map<string, RetiredKey>();

  constructor(keyStore: KeyStore, clock: Clock) {
    this.#keyStore = keyStore;
    this.#clock = clock;
  }

  /** Number of keys kept. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Takes over the keys that a generation lacks, in the event-loop tick that puts it in force.
   * Keeps those whose account has a new key and an overlap and may sign, and wipes all others; also
   * earlier ones whose account may not sign any more or has no overlap any more.
   * @param replaced accounts of the previous generation whose keys `after` lacks
   * @returns accounts whose keys are not kept: the caller discards them
   */
  retire(replaced: readonly Account[], after: Registry): readonly Account[] {
    this.wipeExpired();
    for (const [name, { account }] of this.#kept) {
      if (getOverlap(after, account) === 0) this.#wipe(name);
    }
    const now = this.#clock.monotonic();
    return replaced.filter((account) => {
      const overlap = getOverlap(after, account);
      // The same key, opened again by the load, replaces nothing.
      const isSame = after.account(account.platformId, account.accountId)?.publicKey === account.publicKey;
      if (overlap === 0 || isSame) return true;
      const name = toAccountName(account);
      this.#wipe(name);
      this.#kept.set(name, { account, endsAt: now + overlap * MS_PER_SECOND });
      return false;
    });
  }

  /** The account with its retired key, while that is kept. */
  find(ids: AccountIds): Account | undefined {
    if (this.#kept.size === 0) return undefined;
    const name = toAccountName(ids);
    const kept = this.#kept.get(name);
    if (kept === undefined || kept.endsAt > this.#clock.monotonic()) return kept?.account;
    this.#wipe(name);
    return undefined;
  }

  /**
   * Whether a request that was checked under `before` may finish under `current` with its account's
   * previous key: that key is kept, and nothing else that decides about the request has changed.
   */
  mayFinish(account: Account, before: Registry, current: Registry): boolean {
    if (this.find(account)?.key.id !== account.key.id) return false;
    return isRuledAlike(account, before, current);
  }

  /** Wipes the keys whose time is over; call it every second. */
  wipeExpired(): void {
    const now = this.#clock.monotonic();
    for (const [name, { endsAt }] of this.#kept) if (endsAt <= now) this.#wipe(name);
  }

  #wipe(name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#kept.delete(name);
    this.#keyStore.discard(kept.account.key);
  }
}

/** Seconds that a previous key of this account is kept under this generation. */
function getOverlap(registry: Registry, { platformId, accountId, algorithm }: Account): number {
  const account = registry.account(platformId, accountId);
  if (account === undefined || account.status !== 'active' || account.algorithm !== algorithm) return 0;
  return registry.platform(platformId)?.status === 'disabled' ? 0 : (account.overlapSeconds ?? 0);
}

/**
 * Whether both generations decide alike about requests of this account: its profile apart from key
 * and fixed values, its platform, and all permissions, policies and budgets are equal.
 */
function isRuledAlike(account: Account, before: Registry, after: Registry): boolean {
  const { platformId, accountId, status, environment, algorithm } = account;
  const [{ origin }, { origin: current }] = [before, after];
  const [platform, platformNow] = [before.platform(platformId), after.platform(platformId)];
  const now = after.account(platformId, accountId);
  if (platform === undefined || platformNow === undefined || now === undefined) return false;
  return (
    now.status === status &&
    now.environment === environment &&
    now.algorithm === algorithm &&
    origin.permissionsDigest === current.permissionsDigest &&
    origin.policiesDigest === current.policiesDigest &&
    origin.budgetsDigest === current.budgetsDigest &&
    listChangedFields(platform, platformNow).length === 0
  );
}
