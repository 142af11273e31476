import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { CredentialLoadError } from '../model/errors.ts';
import type { Issue } from '../model/issue.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { configLoadFailed, type Refusal } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { CallContext } from '../model/sign-request.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import { countChanges, type RegistryChanges } from './registry-changes.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RegistryLoader } from './registry-loader.ts';

/** What a reload did. */
export interface ReloadResult {
  /** When the reading began, ISO 8601 UTC. */
  readonly reloadedAt: string;
  readonly changes: RegistryChanges;
  readonly accountCount: number;
  readonly platformCount: number;
}

/** What callers are told of an error that no adapter foresaw; its own message may hold anything. */
const UNEXPECTED: readonly Issue[] = [
  { path: '', message: 'could not be loaded because of an unexpected error; the service log has its cause' },
];

/** Why a configuration that is right is not put in force. */
const UNRECORDED: readonly Issue[] = [{ path: '', message: 'the audit record of the reload could not be written' }];

/** Replaces the configuration while the service goes on signing: the new generation is loaded aside, then put in force in one step. */
export class ReloadService {
  readonly #registry: RegistryHolder;
  readonly #loader: RegistryLoader;
  readonly #keyStore: KeyStore;
  readonly #audit: AuditEntryService;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  #running: Promise<unknown> = Promise.resolve();
  /** The reload that waits for the running one to end, or was only just asked for. */
  #next: Promise<Outcome<ReloadResult>> | null = null;

  constructor(
    registry: RegistryHolder,
    loader: RegistryLoader,
    keyStore: KeyStore,
    audit: AuditEntryService,
    clock: Clock,
    log: ServiceLog,
  ) {
    this.#registry = registry;
    this.#loader = loader;
    this.#keyStore = keyStore;
    this.#audit = audit;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Loads the configuration as it is now. One reload runs at a time; calls during one share the next, because the file may have
   * changed since that one read it. A configuration that can't be loaded, for whatever reason, changes nothing: CONFIG_LOAD_FAILED.
   */
  reload(context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      const reload = this.#reload(context);
      // An error that nobody foresaw reaches the caller and must not keep later reloads from running.
      this.#running = reload.catch(() => undefined);
      return reload;
    });
    return this.#next;
  }

  async #reload(context: CallContext | null): Promise<Outcome<ReloadResult>> {
    const startedAt = this.#clock.monotonic();
    const before = this.#registry.current;
    const reloadedAt = new Date(this.#clock.now()).toISOString();
    const loaded = await this.#load(before, reloadedAt);
    if (!loaded.ok) {
      const recorded = await this.#audit.recordReload(loaded, startedAt, context);
      if (!recorded.ok) this.#log.error('The audit record of a reload could not be written.', { ...recorded.refusal });
      return this.#refuse(loaded.refusal);
    }

    const after = loaded.value;
    const result = resultOf(before, after, reloadedAt);
    const facts = accepted({ ...result, changes: { ...result.changes }, configurationDigest: after.digest });
    const recorded = await this.#audit.recordReload(facts, startedAt, context);
    if (!recorded.ok) return this.#withdraw(after, recorded.refusal.cause);

    this.#registry.replace(after, reloadedAt);
    this.#registry.whenUnused(before, () => this.#discardKeys(before));
    this.#log.info('Credentials loaded.', { ...result });
    return accepted(result);
  }

  /** What is not on record does not take effect. */
  #withdraw(after: Registry, cause: unknown): Outcome<ReloadResult> {
    this.#discardKeys(after);
    return this.#refuse(configLoadFailed(this.#loader.location, UNRECORDED, cause));
  }

  #discardKeys(registry: Registry): void {
    for (const account of registry.accounts()) this.#keyStore.discard(account.key);
  }

  #refuse(refusal: Refusal): Outcome<ReloadResult> {
    this.#log.error('Credentials could not be loaded.', { ...refusal });
    return refused(refusal);
  }

  async #load(before: Registry, reloadedAt: string): Promise<Outcome<Registry>> {
    try {
      return accepted(await this.#loader.load(before, reloadedAt));
    } catch (error) {
      const { issues, cause } = error instanceof CredentialLoadError ? error : { issues: UNEXPECTED, cause: error };
      return refused(configLoadFailed(this.#loader.location, issues, cause));
    }
  }
}

function resultOf(before: Registry, after: Registry, reloadedAt: string): ReloadResult {
  const { accountCount, platformCount } = after;
  return { reloadedAt, changes: countChanges(before, after), accountCount, platformCount };
}
