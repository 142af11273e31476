import type { AccountStatus } from './account.ts';
import type { KeyProtection } from './key-protection.ts';
import type { ReloadNote } from './reload-note.ts';
import type { UsageSharing, UsageTotals } from './usage.ts';

/*
 * How the service is at one moment, for monitoring: what GET /status and /readyz say in words, as numbers. Times are milliseconds since 1970-01-01T00:00:00Z, unless they say otherwise.
 */

/** How many accounts of a platform have a status; zero included. */
export interface AccountCount {
  readonly platformId: string;
  readonly status: AccountStatus;
  readonly count: number;
}

/** Which configuration is in force. */
export interface ConfigurationState {
  /** How many came into force since the process started. */
  readonly generation: number;
  /** `sha256:<64 hex>`; null before the first. */
  readonly digest: string | null;
  /** When its reading began; null before the first. */
  readonly loadedAt: number | null;
  /** Whether it is read anew when its files change. */
  readonly isWatched: boolean;
  readonly lastReload: ReloadNote | null;
  readonly reloads: { readonly succeeded: number; readonly failed: number };
  readonly accounts: readonly AccountCount[];
  /** Entries of the permissions list; null where there is none. */
  readonly permissionEntries: number | null;
}

/** Whether the record can be written, and how far it reaches. */
export interface AuditState {
  readonly isAvailable: boolean;
  /** Number and hash of the last durable record; 0 and null before the first. */
  readonly head: { readonly seq: number; readonly hash: string | null };
  /** Records that wait to be durable. */
  readonly queued: number;
}

/** Room on the disk of the audit file. */
export interface DiskSpace {
  /** Bytes that may still be written; null where that can't be told. */
  readonly freeBytes: number | null;
  readonly state: 'ok' | 'low' | 'critical' | 'unknown';
  /** `low` is less than this. */
  readonly lowBytes: number;
  /** `critical` is less than this. */
  readonly criticalBytes: number;
}

/** What one account was used for. */
export interface AccountUse {
  readonly platformId: string;
  readonly accountId: string;
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** All accounts, to be looked at in slices: there may be very many. */
export interface AccountUses {
  readonly length: number;
  /** Those from index `begin` to before `end`, with what they were used for by now. */
  slice(begin: number, end: number): readonly AccountUse[];
}

/** How the core of the service is. */
export interface CoreState {
  readonly isHealthy: boolean;
  readonly isReady: boolean;
  readonly readiness: { readonly [check: string]: boolean };
  readonly audit: AuditState;
  readonly configuration: ConfigurationState;
  /** On record, as the usage ledger has it. */
  readonly recorded: UsageTotals;
  readonly usage: UsageSharing;
  /** Attempts of this process whose record was not durable in time. */
  readonly unrecorded: number;
  /** Null where no account is to be named. */
  readonly accounts: AccountUses | null;
  /** Null for a KeyStore that tells nothing of it. */
  readonly keys: KeyProtection | null;
}

/** How keys were protected anew. */
export interface RefreshState {
  readonly succeeded: number;
  readonly failed: number;
  /** When the latest ended well; null before the first. */
  readonly lastAt: number | null;
}

/** Connections of one listener. */
export interface ListenerState {
  readonly listener: string;
  readonly open: number;
  /** Closed as they opened, since too many were open. */
  readonly dropped: number;
}

/** What callers are known by where they are asked for messages of mutual authentication. */
export interface AuthenticationState {
  readonly isRequired: boolean;
  /** Null for a time that can't be read. */
  readonly tokenExpiresAt: number | null;
  readonly authorities: number;
  /** Whether it can be told if a request came before. */
  readonly canTellReplays: boolean;
}

/** How the process and its surroundings are. */
export interface ProcessState {
  readonly version: string;
  readonly nodeVersion: string;
  readonly isMemoryLocked: boolean;
  readonly refreshes: RefreshState;
  /** Bytes that may still be written where the audit file is; null where that can't be told. */
  readonly auditFreeBytes: number | null;
  readonly listeners: readonly ListenerState[];
  /** Null where callers are not asked. */
  readonly authentication: AuthenticationState | null;
}

/** A certificate that ends. */
export interface CertificateState {
  /** SHA-256 of the certificate, hex with colons. */
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Files of HTTPS that are read anew when they change. */
export interface TlsFilesState {
  readonly loadedAt: number;
  /** Null before the first reload. */
  readonly hasLastReloadSucceeded: boolean | null;
}

/** What HTTPS is made of. */
export interface TlsState {
  readonly certificate: CertificateState & TlsFilesState;
  /** Null where no client certificate is asked for. */
  readonly clients:
    | (TlsFilesState & {
        readonly authorities: readonly CertificateState[];
        /** How many certificates are listed one by one; null where there is no list. */
        readonly listed: number | null;
      })
    | null;
}

/** What limits callers or accounts; null where nothing does. */
export interface RateLimitState {
  readonly perCaller: number | null;
  readonly perAccount: number | null;
  readonly windowSeconds: number;
  readonly isShared: boolean;
  /** False while each replica counts for itself though they should share. */
  readonly isCurrent: boolean;
}

/** How much callers ask for. */
export interface TrafficState {
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly queued: number;
  readonly maxQueue: number;
  /** Bytes of request bodies that are held. */
  readonly heldBytes: number;
  /** Requests that were refused since there was too much to do. */
  readonly overloaded: number;
  /** Requests that were refused since their caller asked too often. */
  readonly limitedCallers: number;
  /** Requests that were refused since proofs from their address failed too often. */
  readonly limitedProofs: number;
  readonly rateLimits: RateLimitState | null;
  /** Null for HTTP. */
  readonly tls: TlsState | null;
}

/** How the service is. */
export interface ServiceState {
  readonly core: CoreState;
  readonly process: ProcessState;
  readonly traffic: TrafficState;
}
