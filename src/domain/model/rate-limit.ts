/** How much is allowed: a bucket that holds so many points and fills up evenly, from empty to full within the window. */
export interface RateBudget {
  /** A whole number, at least 1. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** Whose requests a budget is shared by: those of this process alone, or those of all replicas of the service. */
export type RateSharing =
  | { readonly mode: 'alone' }
  | {
      readonly mode: 'shared';
      /** `apart`: for now each replica counts for itself. */
      readonly state: 'current' | 'apart';
      /** Since when it is apart, ISO 8601 UTC; null while it is current. */
      readonly since: string | null;
      /** Why, for an operator to read, without secrets; null while it is current. */
      readonly reason: string | null;
    };
