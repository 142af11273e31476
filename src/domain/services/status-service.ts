import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { UsageSharing } from '../model/account.ts';
import type { AuditCheckpoint, AuditHead } from '../model/audit-entry.ts';
import type { DiskSpace, ReloadNote } from '../model/service-state.ts';
import type { Caller } from '../model/sign-request.ts';
import type { ActivityReport } from './recent-activity.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { ReloadCounts, ReloadHistory } from './reload-service.ts';
import type { SigningPerformance } from './sign-request-service.ts';
import { hideAccounts } from './visible-activity.ts';

/** The reporting process. */
export interface ServiceInstance {
  /** SIGNING_INSTANCE_ID, as in audit records. */
  readonly id: string;
  /** Version of the program. */
  readonly version: string;
}

/** The status report. */
export interface StatusReport {
  /** `degraded` while nothing can be signed: no audit records, or no account. */
  readonly status: 'healthy' | 'degraded';
  readonly uptimeMs: number;
  readonly instance: ServiceInstance;
  readonly config: {
    readonly path: string;
    readonly lastLoaded: string | null;
    readonly isWatching: boolean;
    /** Null before the first has ended. */
    readonly lastReload: ReloadNote | null;
    readonly reloads: ReloadCounts;
  };
  readonly accounts: { readonly total: number; readonly byPlatform: { readonly [platformId: string]: number } };
  readonly performance: {
    /** See {@link SigningPerformance.avgSigningTimeMs}. */
    readonly avgSigningTimeMs: number;
    /**
     * From the audit record: includes earlier processes, and other replicas where counters are
     * shared.
     */
    readonly totalSigns: number;
    /**
     * Share of attempts without a signature, 0 to 1; 0 before the first. Includes this process's
     * unrecorded ones.
     */
    readonly errorRate: number;
  };
  /** Whose signatures and errors are counted. */
  readonly usage: UsageSharing;
  readonly audit: {
    readonly path: string;
    readonly isAvailable: boolean;
    readonly head: AuditHead;
    readonly checkpoint: AuditCheckpoint | null;
    readonly disk: DiskSpace;
    readonly checkpointCopies: readonly CheckpointCopyReport[];
  };
}

/** Copies of checkpoints in one second place. */
export interface CheckpointCopyReport {
  /** Name of the setting that selects it. */
  readonly setting: string;
  /** Path or host. */
  readonly place: string;
  /** Number of the last record that a saved checkpoint covers; null before the first. */
  readonly seq: number | null;
  /** Attempts that failed since then. */
  readonly failures: number;
}

/** What a {@link StatusService} works with. */
export interface StatusParts {
  readonly registry: RegistryHolder;
  readonly usage: UsageLedger;
  readonly performance: SigningPerformance;
  readonly sink: AuditSink;
  readonly reloads: ReloadHistory;
  readonly clock: Clock;
  readonly instance: ServiceInstance;
  /** Path of the audit file, its disk's space, and the second places of checkpoints. */
  readonly auditFile: {
    readonly path: string;
    readonly disk: () => DiskSpace;
    readonly checkpointCopies: () => readonly CheckpointCopyReport[];
  };
  /** Path of the configuration, and whether file changes trigger a reload. */
  readonly config: { readonly path: string; readonly isWatching: boolean };
}

/** Reports the service's status. */
export class StatusService {
  readonly #parts: StatusParts;
  readonly #startedAt: number;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
  }

  /** The full report, counts of unreadable accounts included. */
  report(): StatusReport {
    const { usage, performance, sink, clock, instance } = this.#parts;
    const registry = this.#parts.registry.current;
    const { totalSigns, errorCount } = usage.totals();
    const errors = errorCount + performance.unrecorded;
    const attempts = totalSigns + errors;
    return {
      status: sink.available && registry.accountCount > 0 ? 'healthy' : 'degraded',
      uptimeMs: clock.monotonic() - this.#startedAt,
      instance,
      config: this.#config(),
      accounts: { total: registry.accountCount, byPlatform: registry.countByPlatform() },
      performance: {
        avgSigningTimeMs: performance.avgSigningTimeMs,
        totalSigns,
        errorRate: attempts === 0 ? 0 : errors / attempts,
      },
      usage: usage.sharing,
      audit: this.#audit(),
    };
  }

  /** Recent activity, without accounts that the caller may not read. */
  showActivity(activity: ActivityReport, { principal }: Caller): ActivityReport {
    const { permissions } = this.#parts.registry.current;
    if (permissions.isOpen) return activity;
    return hideAccounts(activity, (account) => permissions.allows(principal, 'read', account));
  }

  #audit(): StatusReport['audit'] {
    const { sink, auditFile } = this.#parts;
    const { available: isAvailable, head, checkpoint } = sink;
    const { path, disk, checkpointCopies } = auditFile;
    return { path, isAvailable, head, checkpoint, disk: disk(), checkpointCopies: checkpointCopies() };
  }

  #config(): StatusReport['config'] {
    const { config, registry, reloads } = this.#parts;
    return { ...config, lastLoaded: registry.loadedAt, lastReload: reloads.last, reloads: reloads.counts };
  }
}
