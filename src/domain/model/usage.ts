/** What an account's key was used for since the counters began. */
export interface Usage {
  readonly totalSigns: number;
  /** ISO 8601 UTC, null before the first signature. */
  readonly lastSignAt: string | null;
  /** Attempts on this account that ended without a signature, refused ones included. */
  readonly errorCount: number;
}

/** The same over all accounts. */
export interface UsageTotals {
  readonly totalSigns: number;
  readonly errorCount: number;
  /** Sum over released signatures of the time from request to durable record, milliseconds. */
  readonly signingTimeMs: number;
}
