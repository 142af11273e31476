import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { Account } from '../model/account.ts';
import { CredentialLoadError, type Issue, OperatorError, UNAVAILABLE } from '../model/errors.ts';
import { accepted, type Outcome, type Refusal, refuse, refused } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { ReloadCall, ReloadTrigger } from '../model/service-state.ts';
import type { CallContext } from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import { compareRegistries, describeReload, type RegistryDifference, type ReloadResult } from './registry-changes.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RegistryLoader } from './registry-loader.ts';
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

/** Why a load failed. */
interface Failure {
  readonly issues: readonly Issue[];
  /** For the service log only. */
  readonly cause?: unknown;
  /** Whether the cause is outside the files. */
  readonly isTransient?: boolean;
}

/** Issue of an unexpected error, whose own message may contain secrets. */
const UNEXPECTED: readonly Issue[] = [
  { path: '', message: 'could not be loaded because of an unexpected error; the service log has the cause' },
];

const UNRECORDED: Failure = {
  issues: [{ path: '', message: 'the audit record of the reload could not be written' }],
  isTransient: true,
};

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

  async #reload(trigger: ReloadTrigger, calls: readonly ReloadCall[]): Promise<Outcome<ReloadResult>> {
    const { clock, audit } = this.#parts;
    const [at, startedAt] = [formatTime(clock.now()), clock.monotonic()];
    const loaded = await this.#load(at);
    const outcome = 'issues' in loaded ? refused(this.#toRefusal(loaded)) : accepted(loaded.result);
    const recorded = await audit.recordReload(calls, outcome, startedAt);
    if ('issues' in loaded) return this.#fail(loaded, at, trigger);
    if (recorded.ok) return this.#activate(loaded, trigger);
    // Unrecorded changes don't take effect.
    await this.#discardNew(loaded.difference);
    return this.#fail(UNRECORDED, at, trigger);
  }

  async #load(at: string): Promise<Loaded | Failure> {
    const { clock, hasher, loader, registry } = this.#parts;
    const before = registry.current;
    try {
      const after = await loader.load(before, at);
      const slice = new TimeSlice(clock);
      const difference = await compareRegistries(before, after, slice);
      const issue = this.#findExcess(before, difference.accounts.removed.length);
      if (issue === null)
        return { after, difference, result: await describeReload(at, difference, before, after, hasher, slice) };
      await this.#discardNew(difference);
      return { issues: [issue] };
    } catch (error) {
      if (error instanceof CredentialLoadError) return { issues: error.issues, cause: error.cause };
      if (error instanceof OperatorError) {
        const isTransient = error.code === UNAVAILABLE;
        return { issues: [{ path: '', message: error.message }], cause: error.cause, isTransient };
      }
      return { issues: UNEXPECTED, cause: error, isTransient: true };
    }
  }

  async #activate({ after, difference, result }: Loaded, trigger: ReloadTrigger): Promise<Outcome<ReloadResult>> {
    const { registry, retiredKeys, log, metrics, getWarnings } = this.#parts;
    const { removed, reopened } = difference.accounts;
    const replaced = [...removed, ...reopened.map((change) => change.before)];
    const before = registry.current;
    registry.replace(after, result.reloadedAt);
    void this.#discard(retiredKeys.retire(replaced, after));
    metrics.configured(after);
    registry.noteReload({ at: result.reloadedAt, trigger, outcome: 'success', issues: [], isTransient: false }, result);
    const facts = { trigger, ...result };
    if (!log.recovered(LOADED, facts, FAILURES)) log.info(LOADED, facts);
    for (const warning of await getWarnings(after, before)) log.warn(warning, { trigger });
    return accepted(result);
  }

  /** The issue of removing too many accounts, or null. */
  #findExcess({ accountCount }: Registry, removed: number): Issue | null {
    const { maxRemoved } = this.#parts;
    if (maxRemoved === null || removed <= maxRemoved * accountCount) return null;
    const message =
      `would remove ${removed} of ${accountCount} accounts, more than SIGNING_RELOAD_MAX_REMOVED=${maxRemoved} allows; ` +
      'restore the accounts, or restart the service to remove them';
    return { path: 'accounts', message };
  }

  #discardNew({ accounts: { added, reopened } }: RegistryDifference): Promise<void> {
    return this.#discard([...added, ...reopened.map((change) => change.after)]);
  }

  #discard(accounts: readonly Account[]): Promise<void> {
    const { clock, keyStore } = this.#parts;
    return new TimeSlice(clock).forEach(accounts, ({ key }) => keyStore.discard(key));
  }

  #fail(failure: Failure, at: string, trigger: ReloadTrigger): Outcome<ReloadResult> {
    const refusal = this.#toRefusal(failure);
    const { code, message, details, cause } = refusal;
    const { issues, isTransient = false } = failure;
    this.#parts.registry.noteReload({ at, trigger, outcome: 'failed', issues, isTransient });
    // Retries, file changes and callers can repeat a failure; an operator sends a signal once.
    const throttling =
      trigger === 'signal' ? undefined : { ...FAILURES, cause: `${trigger} ${JSON.stringify(issues)}` };
    const facts = { trigger, code, message, details, cause };
    this.#parts.log.error('Credentials could not be loaded.', facts, throttling);
    return refused(refusal);
  }

  #toRefusal({ issues, cause }: Failure): Refusal {
    return refuse('ConfigLoadFailed', { path: this.#parts.loader.location, issues }, cause);
  }
}
