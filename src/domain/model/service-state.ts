import type { Issue } from './errors.ts';
import type { CallContext } from './sign-request.ts';

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

/** Refreshes of the key protection. */
export interface RefreshState {
  readonly succeeded: number;
  readonly failed: number;
  /** Last success, Unix milliseconds; null before the first. */
  readonly lastAt: number | null;
}

/** Connections of one listener. */
export interface ListenerState {
  readonly listener: string;
  readonly open: number;
  /** Closed on arrival, over the limit. */
  readonly dropped: number;
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
