import type { Clock } from '../../ports/clock.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SigningPerformance } from './signing-performance.ts';

/** How the service is. */
export interface StatusReport {
  /** `healthy`, or `degraded` while audit records can't be written and nothing is signed for that reason. */
  readonly status: 'healthy' | 'degraded';
  readonly uptimeMs: number;
  readonly config: { readonly path: string; readonly lastLoaded: string | null; readonly isWatching: boolean };
  readonly accounts: { readonly total: number; readonly byPlatform: { readonly [platformId: string]: number } };
  readonly performance: {
    /** Mean time from request to durable record over the signatures that this process released, milliseconds; 0 before the first. */
    readonly avgSigningTimeMs: number;
    /** On record, those of earlier processes included. */
    readonly totalSigns: number;
    /** Share of the attempts that ended without a signature, 0 to 1; 0 before the first. Those on record, and those of this process that could not be recorded. */
    readonly errorRate: number;
  };
}

/** Reports how the service is and what it has done. */
export class StatusService {
  readonly #registry: RegistryHolder;
  readonly #usage: UsageLedger;
  readonly #performance: SigningPerformance;
  readonly #audit: AuditEntryService;
  readonly #clock: Clock;
  readonly #configPath: string;
  readonly #startedAt: number;

  constructor(
    registry: RegistryHolder,
    usage: UsageLedger,
    performance: SigningPerformance,
    audit: AuditEntryService,
    clock: Clock,
    configPath: string,
  ) {
    this.#registry = registry;
    this.#usage = usage;
    this.#performance = performance;
    this.#audit = audit;
    this.#clock = clock;
    this.#configPath = configPath;
    this.#startedAt = clock.monotonic();
  }

  report(): StatusReport {
    const registry = this.#registry.current;
    const { totalSigns, errorCount } = this.#usage.totals();
    const errors = errorCount + this.#performance.unrecorded;
    const attempts = totalSigns + errors;
    return {
      status: this.#audit.available ? 'healthy' : 'degraded',
      uptimeMs: this.#clock.monotonic() - this.#startedAt,
      config: { path: this.#configPath, lastLoaded: this.#registry.loadedAt, isWatching: false },
      accounts: { total: registry.accountCount, byPlatform: registry.countByPlatform() },
      performance: {
        avgSigningTimeMs: this.#performance.avgSigningTimeMs,
        totalSigns,
        errorRate: attempts === 0 ? 0 : errors / attempts,
      },
    };
  }
}
