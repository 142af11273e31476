import type { AccountStatus, KeyProtection, UsageSharing, UsageTotals } from './account.ts';
import type { Issue } from './issue.ts';
import type { CallContext } from './sign-request.ts';

/*
 * A snapshot of the service for monitoring. Times are milliseconds since 1970-01-01T00:00:00Z
 * unless noted.
 */

/** Accounts of a platform with a status; zero included. */
export interface AccountCount {
  readonly platformId: string;
  readonly status: AccountStatus;
  readonly count: number;
}

/** The configuration in force. */
export interface ConfigurationState {
  /** Generations since the process started. */
  readonly generation: number;
  /** `sha256:<64 hex>`; null before the first. */
  readonly digest: string | null;
  /** When loading began; null before the first. */
  readonly loadedAt: number | null;
  /** Whether file changes trigger a reload. */
  readonly isWatched: boolean;
  readonly lastReload: ReloadNote | null;
  readonly reloads: { readonly succeeded: number; readonly failed: number };
  readonly accounts: readonly AccountCount[];
  /** Permission entries; null without a list. */
  readonly permissionEntries: number | null;
}

/** Whether audit records can be written, and the last one. */
export interface AuditState {
  readonly isAvailable: boolean;
  /** Last durable record; 0 and null before the first. */
  readonly head: { readonly seq: number; readonly hash: string | null };
  readonly queued: number;
}

/** Space on the audit file's disk. */
export interface DiskSpace {
  /** Null if unknown. */
  readonly freeBytes: number | null;
  readonly state: 'ok' | 'low' | 'critical' | 'unknown';
  /** Below this: `low`. */
  readonly lowBytes: number;
  /** Below this: `critical`. */
  readonly criticalBytes: number;
}

/** Use of one account. */
export interface AccountUsageEntry {
  readonly platformId: string;
  readonly accountId: string;
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** All accounts, read in slices because there may be very many. */
export interface AccountUsageList {
  readonly length: number;
  /** Accounts from index `begin` up to, excluding, `end`, with their current usage. */
  slice(begin: number, end: number): readonly AccountUsageEntry[];
}

/** State of the core. */
export interface CoreState {
  readonly isHealthy: boolean;
  readonly isReady: boolean;
  readonly readiness: { readonly [check: string]: boolean };
  readonly audit: AuditState;
  readonly configuration: ConfigurationState;
  /** From the usage ledger. */
  readonly recorded: UsageTotals;
  readonly usage: UsageSharing;
  /** Attempts of this process whose record was not durable in time. */
  readonly unrecorded: number;
  /** Null where metrics name no accounts. */
  readonly accounts: AccountUsageList | null;
  /** Null for a KeyStore that does not report it. */
  readonly keys: KeyProtection | null;
}

/** Refreshes of the key protection. */
export interface RefreshState {
  readonly succeeded: number;
  readonly failed: number;
  /** Last success; null before the first. */
  readonly lastAt: number | null;
}

/** Connections of one listener. */
export interface ListenerState {
  readonly listener: string;
  readonly open: number;
  /** Closed on arrival, over the limit. */
  readonly dropped: number;
}

/** State of mutual authentication. */
export interface AuthenticationState {
  readonly isRequired: boolean;
  /** Null if unreadable. */
  readonly tokenExpiresAt: number | null;
  readonly authorities: number;
  /** Whether replays can be detected. */
  readonly canDetectReplays: boolean;
}

/** State of the process and its machine. */
export interface ProcessState {
  readonly version: string;
  readonly nodeVersion: string;
  readonly isMemoryLocked: boolean;
  readonly refreshes: RefreshState;
  /** Free bytes for the audit file; null if unknown. */
  readonly auditFreeBytes: number | null;
  readonly listeners: readonly ListenerState[];
  /** Null without mutual authentication. */
  readonly authentication: AuthenticationState | null;
  /** Days before a certificate or token expires from which to warn. */
  readonly expiryWarningDays: number;
  /** Second places of checkpoints, with the attempts that failed since the last success. */
  readonly checkpointCopies: readonly { readonly setting: string; readonly failures: number }[];
}

/** Validity of a certificate. */
export interface CertificateState {
  /** SHA-256 of the certificate, hex with colons. */
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** TLS files that are reloaded when they change. */
export interface TlsFilesState {
  readonly loadedAt: number;
  /** Null before the first reload. */
  readonly hasLastReloadSucceeded: boolean | null;
}

/** State of HTTPS and of client certificates. */
export interface TlsState {
  /** Null for HTTP behind a proxy that forwards client certificates. */
  readonly certificate: (CertificateState & TlsFilesState) | null;
  /** Null without client certificates. */
  readonly clients:
    | (TlsFilesState & {
        readonly authorities: readonly CertificateState[];
        /** Pinned certificates; null without a list. */
        readonly listed: number | null;
      })
    | null;
}

/** Rate limits; null for one that is not configured. */
export interface RateLimitState {
  readonly perCaller: number | null;
  readonly perAccount: number | null;
  readonly windowSeconds: number;
  readonly isShared: boolean;
  readonly isCurrent: boolean;
}

/** Load caused by callers. */
export interface TrafficState {
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly queued: number;
  readonly maxQueue: number;
  /** Buffered request bodies, bytes. */
  readonly heldBytes: number;
  readonly overloaded: number;
  readonly limitedCallers: number;
  /** Requests refused after too many failed authentications from an address. */
  readonly limitedAuthentications: number;
  readonly rateLimits: RateLimitState | null;
  /** Null for HTTP. */
  readonly tls: TlsState | null;
}

/** State of the service. */
export interface ServiceState {
  readonly core: CoreState;
  readonly process: ProcessState;
  readonly traffic: TrafficState;
}

/** What triggered a load. */
export type ReloadTrigger = 'start' | 'request' | 'signal' | 'watch';

/** A call for a reload; calls that arrive during one share the next. */
export interface ReloadCall {
  readonly trigger: ReloadTrigger;
  /** Null for none. */
  readonly context: CallContext | null;
}

/** Result of the last load. */
export interface ReloadNote {
  /** Start, ISO 8601 UTC. */
  readonly at: string;
  readonly trigger: ReloadTrigger;
  readonly outcome: 'success' | 'failed';
  /** Empty after a success. */
  readonly issues: readonly Issue[];
  /** Whether the cause is outside the files, so that a retry may succeed. */
  readonly isTransient: boolean;
}
