/** An account in the list. */
export interface ListedAccount {
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  /** `active` or `disabled`. */
  readonly status: string;
  readonly environment: string;
  readonly usage: {
    readonly totalSigns: number;
    /** ISO 8601 UTC; null before the first signature. */
    readonly lastSignAt: string | null;
    /** Attempts that ended without a signature, refused ones included. */
    readonly errorCount: number;
  };
  /** Ethereum address (EIP-55) of accounts that have one. */
  readonly address?: string;
}

/** One account. */
export interface Account {
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  /** `active` or `disabled`. */
  readonly status: string;
  readonly environment: string;
  readonly algorithm: string;
  readonly publicKey: string;
  /** Ethereum address (EIP-55) of accounts that have one. */
  readonly address?: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; null before the first signature. */
  readonly lastUsed: string | null;
}

/** All accounts that the caller may read, in the order of the configuration. */
export interface AccountList {
  readonly accounts: readonly ListedAccount[];
  readonly total: number;
}

/** Some accounts, by platform and account id. */
export interface AccountPage extends AccountList {
  /** What the next page is asked for with; null at the end. */
  readonly nextCursor: string | null;
}

/** Which account is meant. */
export interface AccountName {
  readonly platformId: string;
  readonly accountId: string;
}

/** Which accounts are listed; all of them where nothing is said. */
export interface AccountSelection {
  readonly platformId?: string;
}

/** Which page is asked for. */
export interface PageSelection extends AccountSelection {
  /** Most accounts on the page, 1 to 1000; default 1000. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}
