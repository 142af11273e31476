import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Metrics, MetricsFormat } from '../../ports/metrics.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { ACCOUNT_STATUSES, type AccountProfile } from '../model/account.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { Registry } from '../model/registry.ts';
import type {
  AccountCount,
  AccountUsageList,
  ConfigurationState,
  CoreState,
  ProcessState,
  TrafficState,
} from '../model/service-state.ts';
import type { ReadinessService } from './readiness-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { ReloadHistory } from './reload-service.ts';
import type { SigningPerformance } from './sign-request-service.ts';

/** Counts each platform's accounts by status: in slices, once per generation, on demand. */
export class AccountCounts {
  /** One count for each configured platform and status, zero included. */
  readonly of: (registry: Registry) => Promise<readonly AccountCount[]>;

  constructor(clock: Clock) {
    this.of = memoizeByObject((registry) => countAccounts(registry, new TimeSlice(clock)));
  }
}

async function countAccounts(registry: Registry, slice: TimeSlice): Promise<readonly AccountCount[]> {
  const counts = new Map<string, number>();
  await slice.forEach(registry.accounts(), ({ platformId, status }) => {
    const key = toKey(platformId, status);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  return registry.platformIds.flatMap((platformId) =>
    ACCOUNT_STATUSES.map((status) => ({ platformId, status, count: counts.get(toKey(platformId, status)) ?? 0 })),
  );
}

/** No id has a space. */
function toKey(platformId: string, status: string): string {
  return `${platformId} ${status}`;
}

/** What a {@link MonitoringService} works with. */
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
  /** Whether file changes trigger a reload. */
  readonly isWatched: boolean;
  /** Whether metrics name accounts. */
  readonly namesAccounts: boolean;
  /** Collects the state of the process and its machine. Must not throw. */
  readonly collectProcess: () => Promise<ProcessState>;
}

/** Reports state and metrics to monitoring. */
export class MonitoringService {
  readonly #parts: MonitoringParts;
  readonly #counts: AccountCounts;

  constructor(parts: MonitoringParts) {
    this.#parts = parts;
    this.#counts = new AccountCounts(parts.clock);
  }

  /** As {@link Metrics.page}, of the current state. @param traffic current load from callers */
  async page(format: MetricsFormat, traffic: () => TrafficState): Promise<Iterable<string>> {
    const { metrics, collectProcess } = this.#parts;
    const [core, process] = await Promise.all([this.#core(), collectProcess()]);
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
      accounts: namesAccounts ? getUses(accounts, usage) : null,
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
      accounts: await this.#counts.of(current),
    };
  }
}

function getUses(accounts: readonly AccountProfile[], usage: UsageLedger): AccountUsageList {
  return {
    length: accounts.length,
    slice: (begin, end) =>
      accounts.slice(begin, end).map(({ platformId, accountId }) => {
        const { totalSigns, errorCount } = usage.usage(platformId, accountId);
        return { platformId, accountId, totalSigns, errorCount };
      }),
  };
}
