import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { CredentialLoadError, type Issue, OperatorError, UNAVAILABLE } from '../model/errors.ts';
import { accepted, type Outcome, type Refusal, refuse, refused } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { ReloadCall, ReloadTrigger } from '../model/service-state.ts';
import type { CallContext } from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import { compareRegistries, type RegistryDifference } from './registry-difference.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RegistryLoader } from './registry-loader.ts';
import { describeReload, type ReloadResult } from './reload-description.ts';
import type { RetiredKeys } from './retired-keys.ts';

type Parts = Pick<Ports, 'keyStore' | 'hasher' | 'clock' | 'log' | 'metrics'> & {
  readonly registry: RegistryHolder;
  readonly loader: RegistryLoader;
  /** Keeps replaced keys for the overlap of their accounts. */
  readonly retiredKeys: RetiredKeys;
  readonly audit: AuditEntryService;
  /** Warnings for operators about a generation put in force, one sentence or more each. */
  readonly getWarnings: (loaded: Registry, replaced: Registry) => Promise<readonly string[]>;
  /** Maximum share of accounts that a reload may remove, 0 to 1; null: no limit. */
  readonly maxRemoved: number | null;
};

/** A generation that is not in force yet. */
interface Loaded {
  readonly after: Registry;
  readonly difference: RegistryDifference;
  readonly result: ReloadResult;
}

/** The refusal of a load that failed. */
interface Failure extends Refusal {
  readonly issues: readonly Issue[];
  /** Whether the cause is outside the files. */
  readonly isTransient: boolean;
}

/** Issue of an unexpected error, whose own message may contain secrets. */
const UNEXPECTED: Issue = {
  path: '',
  message: 'could not be loaded because of an unexpected error; the service log has the cause',
};

const UNRECORDED = new OperatorError('the audit record of the reload could not be written', { code: UNAVAILABLE });

const LOADED = 'Credentials loaded.';
const FAILURES = { topic: 'reloads' };

/**
 * Replaces the configuration while signing continues: a new generation is loaded aside, then put in
 * force atomically.
 */
export class ReloadService {
  readonly #parts: Parts;
  #running: Promise<unknown> = Promise.resolve();
  /** The reload that waits for the running one, and the calls that share it. */
  #next: Promise<Outcome<ReloadResult>> | null = null;
  #calls: ReloadCall[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Loads the current configuration. One reload runs at a time; calls meanwhile share the next,
   * because the file may have changed since; each has a record. A failed load changes nothing:
   * CONFIG_LOAD_FAILED.
   */
  reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#calls.push({ trigger, context });
    this.#next ??= this.#running.then(() => {
      const calls = this.#calls;
      this.#calls = [];
      this.#next = null;
      const reload = this.#reload(trigger, calls);
      // An unexpected error goes to the caller and must not block later reloads.
      this.#running = reload.catch(() => undefined);
      return reload;
    });
    return this.#next;
  }

  /** Puts a generation in force once that is on record; otherwise keeps none of its keys. */
  async #reload(trigger: ReloadTrigger, calls: readonly ReloadCall[]): Promise<Outcome<ReloadResult>> {
    const { clock, audit, loader, registry } = this.#parts;
    const [at, startedAt] = [formatTime(clock.now()), clock.monotonic()];
    const before = registry.current;
    const loaded = await this.#attempt(() => loader.load(before, at));
    const compared = loaded.ok ? await this.#attempt(() => this.#compare(before, loaded.value, at)) : loaded;
    const outcome = compared.ok ? accepted(compared.value.result) : compared;
    const recorded = await audit.recordReload(calls, outcome, startedAt);
    if (compared.ok && recorded.ok) return this.#activate(compared.value, trigger);
    if (loaded.ok) await this.#discardNew(loaded.value);
    return this.#fail(compared.ok ? this.#toFailure(UNRECORDED) : compared.refusal, at, trigger);
  }

  async #attempt<Value>(work: () => Promise<Value>): Promise<Outcome<Value, Failure>> {
    try {
      return accepted(await work());
    } catch (error) {
      return refused(this.#toFailure(error));
    }
  }

  /** @throws CredentialLoadError if the generation removes too many accounts */
  async #compare(before: Registry, after: Registry, at: string): Promise<Loaded> {
    const { clock, hasher } = this.#parts;
    const slice = new TimeSlice(clock);
    const difference = await compareRegistries(before, after, slice);
    this.#checkRemoved(before, difference.accounts.removed.length);
    return { after, difference, result: await describeReload(at, difference, before, after, hasher, slice) };
  }

  async #activate({ after, difference, result }: Loaded, trigger: ReloadTrigger): Promise<Outcome<ReloadResult>> {
    const { clock, keyStore, registry, retiredKeys, log, metrics, getWarnings } = this.#parts;
    const { removed, reopened } = difference.accounts;
    const replaced = [...removed, ...reopened.map((change) => change.before)];
    const before = registry.current;
    registry.replace(after, result.reloadedAt);
    const unused = retiredKeys.retire(replaced, after);
    void new TimeSlice(clock).forEach(unused, ({ key }) => keyStore.discard(key));
    metrics.configured(after);
    registry.noteReload({ at: result.reloadedAt, trigger, outcome: 'success', issues: [], isTransient: false }, result);
    const facts = { trigger, ...result };
    if (!log.recovered(LOADED, facts, FAILURES)) log.info(LOADED, facts);
    for (const warning of await getWarnings(after, before)) log.warn(warning, { trigger });
    return accepted(result);
  }

  #checkRemoved({ accountCount }: Registry, removed: number): void {
    const { maxRemoved, loader } = this.#parts;
    if (maxRemoved === null || removed <= maxRemoved * accountCount) return;
    const message =
      `would remove ${removed} of ${accountCount} accounts, more than SIGNING_RELOAD_MAX_REMOVED=${maxRemoved} allows; ` +
      'restore the accounts, or restart the service to remove them';
    throw new CredentialLoadError(loader.location, [{ path: 'accounts', message }]);
  }

  /** Wipes the keys that the generation in force lacks; one that is kept has the same account. */
  #discardNew(after: Registry): Promise<void> {
    const { clock, keyStore, registry } = this.#parts;
    return new TimeSlice(clock).forEach(after.accounts(), ({ platformId, accountId, key }) => {
      if (registry.current.account(platformId, accountId)?.key !== key) keyStore.discard(key);
    });
  }

  #fail(failure: Failure, at: string, trigger: ReloadTrigger): Outcome<ReloadResult> {
    const { issues, isTransient, code, message, details, cause } = failure;
    const { registry, log } = this.#parts;
    registry.noteReload({ at, trigger, outcome: 'failed', issues, isTransient });
    // Retries, file changes and callers can repeat a failure; an operator sends a signal once.
    // After another generation, each failure is news.
    const repeated = `${registry.generation} ${trigger} ${JSON.stringify(issues)}`;
    const throttling = trigger === 'signal' ? undefined : { ...FAILURES, cause: repeated };
    const facts = { trigger, code, message, details, cause };
    log.error('Credentials could not be loaded.', facts, throttling);
    return refused(failure);
  }

  #toFailure(error: unknown): Failure {
    const isExpected = error instanceof OperatorError;
    const issue = isExpected ? { path: '', message: error.message } : UNEXPECTED;
    const issues = error instanceof CredentialLoadError ? error.issues : [issue];
    const details = { path: this.#parts.loader.location, issues };
    const refusal = refuse('ConfigLoadFailed', details, isExpected ? error.cause : error);
    return { ...refusal, issues, isTransient: !isExpected || error.code === UNAVAILABLE };
  }
}
