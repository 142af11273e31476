import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { CredentialLoadError } from '../model/errors.ts';
import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { configLoadFailed, type Refusal } from '../model/refusal.ts';
import { Registry } from '../model/registry.ts';
import type { ReloadTrigger } from '../model/reload-note.ts';
import type { CallContext } from '../model/sign-request.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import { compareRegistries, keysMissingFrom, type RegistryChanges } from './registry-changes.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RegistryLoader } from './registry-loader.ts';
import type { ReloadHistory } from './reload-history.ts';
import { TimeSlice } from './time-slice.ts';

/**
 * What a reload did: plain data, the same in the audit record, the service log and the response.
 */
export type ReloadResult = RegistryChanges & {
  /** When the reading began, ISO 8601 UTC. */
  readonly reloadedAt: string;
  readonly accountCount: number;
  readonly platformCount: number;
  /** See {@link RegistryOrigin}. */
  readonly configurationDigest: string | null;
  /** Entries of the permissions list; null where there is none. */
  readonly permissionCount: number | null;
  readonly permissionsDigest: string | null;
  readonly masterKeyIds: readonly string[];
};

/** What a ReloadService works with. */
export interface ReloadParts {
  readonly registry: RegistryHolder;
  readonly loader: RegistryLoader;
  readonly keyStore: KeyStore;
  readonly audit: AuditEntryService;
  readonly history: ReloadHistory;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Absent: nobody counts. */
  readonly metrics?: Counting;
  /** What operators should know of a generation that was just put in place of another, one sentence or more each; absent: nothing. */
  readonly cautionsOf?: (loaded: Registry, replaced: Registry) => readonly string[];
  /** A reload that would take away more than this share of the accounts, 0 to 1, is refused; null: none is for that reason. */
  readonly maxRemoved: number | null;
}

/** One reading of the configuration. */
interface Reading {
  readonly trigger: ReloadTrigger;
  readonly context: CallContext | null;
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly before: Registry;
}

/** Why a reading came to nothing. */
interface Failure {
  readonly issues: readonly Issue[];
  /** The error behind it, for the service log alone. */
  readonly cause?: unknown;
  /** Whether the reason is not in the files. */
  readonly isTransient?: boolean;
}

/** What callers are told of an error that no adapter foresaw; its own message may hold anything. */
const UNEXPECTED: readonly Issue[] = [
  { path: '', message: 'could not be loaded because of an unexpected error; the service log has its cause' },
];

/** Why a configuration that is right is not put in force. */
const UNRECORDED: readonly Issue[] = [{ path: '', message: 'the audit record of the reload could not be written' }];

/** Replaces the configuration while the service goes on signing: the new generation is loaded aside, then put in force in one step. */
export class ReloadService {
  readonly #parts: ReloadParts;
  #running: Promise<unknown> = Promise.resolve();
  /** The reload that waits for the running one to end, or was only just asked for. */
  #next: Promise<Outcome<ReloadResult>> | null = null;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
  }

  /**
   * Loads the configuration as it is now. One reload runs at a time; calls during one share the next, because the file may have
   * changed since that one read it. A configuration that can't be loaded, for whatever reason, changes nothing: CONFIG_LOAD_FAILED.
   */
  reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      const reload = this.#reload(trigger, context);
      // An error that nobody foresaw reaches the caller and must not keep later reloads from running.
      this.#running = reload.catch(() => undefined);
      return reload;
    });
    return this.#next;
  }

  async #reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    const { clock, registry, log, history, metrics = NO_METRICS } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const reading: Reading = { trigger, context, startedAt: clock.monotonic(), at, before: registry.current };
    const after = await this.#load(reading);
    if (!(after instanceof Registry)) return this.#fail(reading, after);

    const result = await this.#resultOf(reading, after);
    const excess = this.#excessOf(reading.before, result.changes.removed);
    if (excess !== null) {
      await this.#discardNew(reading, after);
      return this.#fail(reading, excess);
    }

    const recorded = await this.#record(reading, accepted(result));
    if (!recorded.ok) {
      // What is not on record does not take effect.
      await this.#discardNew(reading, after);
      return this.#refuse(reading, { issues: UNRECORDED, isTransient: true });
    }

    registry.replace(after, at);
    metrics.configured(after.platformIds);
    history.note({ at, trigger, outcome: 'success', issues: [], isTransient: false });
    log.info('Credentials loaded.', { trigger, ...result });
    for (const caution of this.#parts.cautionsOf?.(after, reading.before) ?? []) log.warn(caution, { trigger });
    const retired = await keysMissingFrom(after, reading.before, new TimeSlice(clock));
    void this.#discard(retired);
    return accepted(result);
  }

  async #load({ before, at }: Reading): Promise<Registry | Failure> {
    try {
      return await this.#parts.loader.load(before, at);
    } catch (error) {
      if (error instanceof CredentialLoadError) return { issues: error.issues, cause: error.cause };
      return { issues: UNEXPECTED, cause: error, isTransient: true };
    }
  }

  async #resultOf({ before, at }: Reading, after: Registry): Promise<ReloadResult> {
    const { accountCount, platformCount, permissions, origin } = after;
    return {
      reloadedAt: at,
      ...(await compareRegistries(before, after, new TimeSlice(this.#parts.clock))),
      ...{ accountCount, platformCount },
      configurationDigest: origin.digest,
      permissionCount: permissions.entryCount,
      permissionsDigest: origin.permissionsDigest,
      masterKeyIds: origin.masterKeyIds,
    };
  }

  /** What is wrong with taking so many accounts away, or null. */
  #excessOf({ accountCount }: Registry, removed: number): Failure | null {
    const { maxRemoved } = this.#parts;
    if (maxRemoved === null || removed <= maxRemoved * accountCount) return null;
    const message =
      `would take away ${removed} of ${accountCount} accounts, and SIGNING_RELOAD_MAX_REMOVED=${maxRemoved} allows no such share; ` +
      'put the accounts back, or restart the service if they are to go';
    return { issues: [{ path: 'accounts', message }] };
  }

  async #discardNew({ before }: Reading, after: Registry): Promise<void> {
    await this.#discard(await keysMissingFrom(before, after, new TimeSlice(this.#parts.clock)));
  }

  #discard(keys: readonly KeyHandle[]): Promise<void> {
    const { clock, keyStore } = this.#parts;
    return new TimeSlice(clock).forEach(keys, (key) => keyStore.discard(key));
  }

  async #fail(reading: Reading, failure: Failure): Promise<Outcome<ReloadResult>> {
    await this.#record(reading, refused(this.#refusalOf(failure)));
    return this.#refuse(reading, failure);
  }

  #record({ trigger, startedAt, context }: Reading, outcome: Outcome<JsonObject>): Promise<Outcome<null>> {
    return this.#parts.audit.recordReload(trigger, outcome, startedAt, context);
  }

  #refuse({ at, trigger }: Reading, failure: Failure): Outcome<ReloadResult> {
    const refusal = this.#refusalOf(failure);
    const { issues, isTransient = false } = failure;
    this.#parts.history.note({ at, trigger, outcome: 'failed', issues, isTransient });
    this.#parts.log.error('Credentials could not be loaded.', { trigger, ...refusal });
    return refused(refusal);
  }

  #refusalOf({ issues, cause }: Failure): Refusal {
    return configLoadFailed(this.#parts.loader.location, issues, cause);
  }
}
