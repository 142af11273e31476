/** What an account's key was used for, as far as the audit record goes back. */
export interface Usage {
  readonly totalSigns: number;
  /** Time of the last signature's record, ISO 8601 UTC; null before the first signature. */
  readonly lastSignAt: string | null;
  /** Recorded attempts on this account that ended without a signature, refused ones included. */
  readonly errorCount: number;
}

/** The same over all accounts, and over attempts on accounts that do not exist. */
export interface UsageTotals {
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** Whose counters the readings hold: those of this process alone, or of all replicas of the service. */
export type UsageSharing =
  | { readonly mode: 'alone' }
  | {
      readonly mode: 'shared';
      /** `behind`: others may have counted what is not in the readings yet, or the other way round. */
      readonly state: 'current' | 'behind';
      /** Since when it is behind, ISO 8601 UTC; null while it is current. */
      readonly since: string | null;
      /** Why it is behind, for an operator to read, without secrets; null while it is current, and while there is nothing to tell. */
      readonly reason: string | null;
      /** Replicas whose counters are in the readings, this one included. */
      readonly replicas: number;
    };
