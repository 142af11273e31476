import type {
  CoreState,
  DiskSpace,
  ProcessState,
  ServiceState,
  TrafficState,
} from '../../src/domain/model/service-state.ts';

/** A disk with space. */
export const ROOMY_DISK: DiskSpace = {
  freeBytes: 50_000_000_000,
  state: 'ok',
  lowBytes: 1_073_741_824,
  criticalBytes: 16_777_216,
};

/** Process state of a service without a process of its own. */
export const QUIET_PROCESS: ProcessState = {
  version: '0.0.0',
  nodeVersion: 'v20.19.0',
  isMemoryLocked: true,
  refreshes: { succeeded: 0, failed: 0, lastAt: null },
  auditFreeBytes: null,
  listeners: [],
  authentication: null,
  expiryWarningDays: 14,
  checkpointCopies: [],
};

const QUIET_TRAFFIC: TrafficState = {
  inFlight: 0,
  maxInFlight: 2048,
  queued: 0,
  maxQueue: 1024,
  heldBytes: 0,
  overloaded: 0,
  limitedCallers: 0,
  limitedAuthentications: 0,
  rateLimits: null,
  tls: null,
};

const QUIET_CORE: CoreState = {
  isHealthy: true,
  isReady: true,
  readiness: { keys: true },
  audit: { isAvailable: true, head: { seq: 0, hash: null }, queued: 0 },
  configuration: {
    generation: 1,
    digest: null,
    loadedAt: null,
    isWatched: false,
    lastReload: null,
    reloads: { succeeded: 1, failed: 0 },
    accounts: [],
    permissionEntries: null,
  },
  recorded: { totalSigns: 0, errorCount: 0 },
  usage: { mode: 'alone' },
  unrecorded: 0,
  accounts: null,
  keys: null,
};

/** State of an idle service, with some fields replaced. */
export function quietState(
  changes: {
    readonly core?: Partial<CoreState>;
    readonly process?: Partial<ProcessState>;
    readonly traffic?: Partial<TrafficState>;
  } = {},
): ServiceState {
  const { core, process, traffic } = changes;
  return {
    core: { ...QUIET_CORE, ...core },
    process: { ...QUIET_PROCESS, ...process },
    traffic: { ...QUIET_TRAFFIC, ...traffic },
  };
}
