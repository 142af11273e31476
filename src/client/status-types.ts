import type { FieldIssue } from './error-codes.ts';
import type { JsonObject } from './json.ts';

/** What a reload changed. */
export interface ReloadResult {
  /** ISO 8601 UTC. */
  readonly reloadedAt: string;
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  readonly accountCount: number;
  readonly platformCount: number;
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
  readonly usage?: JsonObject;
  readonly load?: JsonObject;
  readonly rateLimits?: JsonObject | null;
  readonly tls?: JsonObject | null;
  readonly authentication?: JsonObject | null;
}
