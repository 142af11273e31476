import type { FieldIssue } from './error-codes.ts';
import type { JsonObject } from './json.ts';

/** An account that has another key than before. */
export interface RekeyedAccount {
  /** `platformId/accountId` */
  readonly account: string;
  readonly previousPublicKey: string;
  readonly publicKey: string;
}

/** What a reload changed. Older services do not send the optional fields. */
export interface ReloadResult {
  /** ISO 8601 UTC. */
  readonly reloadedAt: string;
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  readonly accountCount: number;
  readonly platformCount: number;
  /**
   * Accounts as `platformId/accountId`, in configured order, at most 20 a list; `more` counts those
   * left out.
   */
  readonly accounts?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly rekeyed: readonly RekeyedAccount[];
    readonly disabled: readonly string[];
    readonly enabled: readonly string[];
    readonly more: {
      readonly [List in 'added' | 'removed' | 'rekeyed' | 'disabled' | 'enabled']: number;
    };
  };
  /** Ids of platforms, in the same way. */
  readonly platforms?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly more: { readonly [List in 'added' | 'removed' | 'changed']: number };
  };
  /** SHA-256 of the credentials file: `sha256:<64 hex>`. */
  readonly configurationDigest?: string | null;
  /** Null where there is no permissions list. */
  readonly permissionCount?: number | null;
  /**
   * SHA-256 of the permissions list in the form of RFC 8785: `sha256:<64 hex>`; null where there is
   * none.
   */
  readonly permissionsDigest?: string | null;
  /** Ids of the master keys that keys of accounts are sealed under; never a key. */
  readonly masterKeyIds?: readonly string[];
}

/** How the latest reading of the credentials went. */
export interface LastReload {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly trigger: string;
  /** `success` or `failed`. */
  readonly outcome: string;
  readonly issues: readonly FieldIssue[];
}

/** How the service is. What the specification names is checked when it comes; the rest is as the service sends it (docs/API.md), and a later service may send more. */
export interface StatusReport {
  /** `healthy` or `degraded`. */
  readonly status: string;
  /** `<h>h <m>m <s>s` */
  readonly uptime: string;
  readonly config: {
    readonly path: string;
    /** ISO 8601 UTC. */
    readonly lastLoaded: string | null;
    readonly isWatching: boolean;
    readonly lastReload?: LastReload | null;
    readonly reloads?: { readonly succeeded: number; readonly failed: number };
  };
  readonly accounts: { readonly total: number; readonly byPlatform: { readonly [platformId: string]: number } };
  readonly performance: {
    /** Milliseconds, as `0.42ms`. */
    readonly avgSigningTime: string;
    readonly totalSigns: number;
    /** 0 to 1. */
    readonly errorRate: number;
  };
  /** Which process reported. */
  readonly instance?: { readonly id: string; readonly version: string };
  readonly audit?: JsonObject;
  readonly usage?: JsonObject;
  readonly load?: JsonObject;
  readonly rateLimits?: JsonObject | null;
  readonly tls?: JsonObject | null;
  readonly authentication?: JsonObject | null;
}
