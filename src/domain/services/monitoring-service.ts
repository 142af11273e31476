import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Metrics, MetricsFormat } from '../../ports/metrics.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { AccountProfile } from '../model/account.ts';
import { permissionDenied, type Refusal } from '../model/refusal.ts';
import type { AccountUses, ConfigurationState, CoreState, ProcessState, TrafficState } from '../model/service-state.ts';
import type { Caller } from '../model/sign-request.ts';
import { AccountCensus } from './account-census.ts';
import type { ReadinessService } from './readiness-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { ReloadHistory } from './reload-history.ts';
import type { SigningPerformance } from './signing-performance.ts';

/** What a MonitoringService works with. */
export interface MonitoringParts {
  readonly metrics: Metrics;
  readonly registry: RegistryHolder;
  readonly usage: UsageLedger;
  readonly performance: SigningPerformance;
  readonly sink: AuditSink;
  readonly reloads: ReloadHistory;
  readonly readiness: ReadinessService;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  /** Whether the configuration is read anew when it changes. */
  readonly isWatched: boolean;
  /** Whether accounts are named, each with what it was used for. */
  readonly namesAccounts: boolean;
  /** Finds out how the process and its surroundings are. It must not throw. */
  readonly lookAround: () => Promise<ProcessState>;
}

/** Tells programs that watch over the service how it is and what it has done. */
export class MonitoringService {
  readonly #parts: MonitoringParts;
  readonly #census: AccountCensus;

  constructor(parts: MonitoringParts) {
    this.#parts = parts;
    this.#census = new AccountCensus(parts.clock);
  }

  /** Why a caller may not know how the service is: FORBIDDEN, as of the status; null for who may. */
  refusalOf({ principal }: Caller): Refusal | null {
    const { permissions } = this.#parts.registry.current;
    return permissions.allows(principal, 'status') ? null : permissionDenied('status', principal);
  }

  /** As {@link Metrics.page}, of the service as it is now. @param traffic how much callers ask for now */
  async page(format: MetricsFormat, traffic: () => TrafficState): Promise<Iterable<string>> {
    const { metrics, lookAround } = this.#parts;
    const [core, process] = await Promise.all([this.#core(), lookAround()]);
    return metrics.page(format, { core, process, traffic: traffic() });
  }

  async #core(): Promise<CoreState> {
    const { registry, usage, performance, sink, readiness, keyStore, namesAccounts } = this.#parts;
    const [{ ready, checks }, configuration] = await Promise.all([readiness.report(), this.#configuration()]);
    const accounts = registry.current.accounts();
    return {
      isHealthy: sink.available && accounts.length > 0,
      isReady: ready,
      readiness: Object.fromEntries(Object.entries(checks).map(([name, { ok }]) => [name, ok])),
      audit: { isAvailable: sink.available, head: sink.head, queued: sink.queued },
      configuration,
      recorded: usage.totals(),
      usage: usage.sharing,
      unrecorded: performance.unrecorded,
      accounts: namesAccounts ? usesOf(accounts, usage) : null,
      keys: keyStore.protection ?? null,
    };
  }

  async #configuration(): Promise<ConfigurationState> {
    const { registry, reloads, isWatched } = this.#parts;
    const { current, generation, loadedAt } = registry;
    return {
      ...{ generation, isWatched },
      digest: current.origin.digest,
      loadedAt: loadedAt === null ? null : Date.parse(loadedAt),
      lastReload: reloads.last,
      reloads: reloads.counts,
      permissionEntries: current.permissions.entryCount,
      accounts: await this.#census.of(current),
    };
  }
}

function usesOf(accounts: readonly AccountProfile[], usage: UsageLedger): AccountUses {
  return {
    length: accounts.length,
    slice: (begin, end) =>
      accounts.slice(begin, end).map(({ platformId, accountId }) => {
        const { totalSigns, errorCount } = usage.usage(platformId, accountId);
        return { platformId, accountId, totalSigns, errorCount };
      }),
  };
}
