import type { FieldIssue } from './errors.ts';
import type { AccountName, JsonObject } from './types.ts';

/** An account whose key changed. */
export interface RekeyedAccount {
  /** `platformId/accountId` */
  readonly account: string;
  readonly previousPublicKey: string;
  readonly publicKey: string;
}

/** An account and the short name of its key, see `Account.keyId`. */
export interface AccountKey {
  /** `platformId/accountId` */
  readonly account: string;
  readonly keyId: string;
}

/** An account whose key changed. */
export interface ReplacedKey extends AccountKey {
  readonly previousKeyId: string;
}

/** An account with changed fields, named as in the credentials file, or a changed `platform`. */
export interface ChangedAccount {
  /** `platformId/accountId` */
  readonly account: string;
  readonly fields: readonly string[];
}

/** A policy or budget, and the SHA-256 of its canonical JSON (RFC 8785): `sha256:<64 hex>`. */
export interface RuleDigest {
  readonly name: string;
  readonly digest: string;
}

/** A policy or budget with another definition. */
export interface ChangedRule extends RuleDigest {
  readonly fields?: readonly string[];
  readonly previousDigest: string;
}

/** Policies or budgets by kind of change, at most 20 a list; `more` counts the rest. */
export interface RuleChanges {
  readonly added: readonly RuleDigest[];
  readonly removed: readonly RuleDigest[];
  readonly changed: readonly ChangedRule[];
  readonly more: { readonly [List in 'added' | 'removed' | 'changed']: number };
}

/** Changes of a reload. Older services omit the optional fields. */
export interface ReloadResult {
  /** ISO 8601 UTC. */
  readonly reloadedAt: string;
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  readonly accountCount: number;
  readonly platformCount: number;
  /**
   * Accounts as `platformId/accountId`, in configured order, at most 20 a list; `more` counts the
   * rest.
   */
  readonly accounts?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly rekeyed: readonly RekeyedAccount[];
    readonly disabled: readonly string[];
    readonly enabled: readonly string[];
    readonly changed?: readonly ChangedAccount[];
    readonly more: {
      readonly [List in 'added' | 'removed' | 'rekeyed' | 'disabled' | 'enabled']: number;
    } & { readonly changed?: number };
  };
  /** Keys of added, rekeyed and removed accounts, at most 10 a list; `more` counts the rest. */
  readonly keys?: {
    readonly added: readonly AccountKey[];
    readonly replaced: readonly ReplacedKey[];
    readonly removed: readonly AccountKey[];
    readonly more: { readonly [List in 'added' | 'replaced' | 'removed']: number };
  };
  /** Platform ids, as above. */
  readonly platforms?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    /** Which fields: `send.origins`. */
    readonly changedFields?: readonly { readonly platform: string; readonly fields: readonly string[] }[];
    readonly more: { readonly [List in 'added' | 'removed' | 'changed']: number } & {
      readonly changedFields?: number;
    };
  };
  readonly policies?: RuleChanges;
  readonly budgets?: RuleChanges;
  /** Numbers of entries, and their principals. A changed entry is a removed and an added one. */
  readonly permissions?: {
    readonly added: number;
    readonly removed: number;
    readonly principals: readonly string[];
    readonly more: { readonly principals: number };
  };
  /** Values of the replaced configuration. */
  readonly previous?: {
    readonly configurationDigest: string | null;
    readonly permissionsDigest: string | null;
    readonly policiesDigest: string | null;
    readonly budgetsDigest: string | null;
    readonly masterKeyIds: readonly string[];
  };
  /** SHA-256 of which key each account has, `sha256:<64 hex>`; null without accounts. */
  readonly keysDigest?: string | null;
  /** SHA-256 of the credentials file: `sha256:<64 hex>`. */
  readonly configurationDigest?: string | null;
  /** Null without a permissions list. */
  readonly permissionCount?: number | null;
  /**
   * SHA-256 of the canonical JSON (RFC 8785) of the permissions list: `sha256:<64 hex>`; null
   * without one.
   */
  readonly permissionsDigest?: string | null;
  readonly policyCount?: number;
  /** SHA-256 of the policies in RFC 8785 form: `sha256:<64 hex>`; null without any. */
  readonly policiesDigest?: string | null;
  readonly budgetCount?: number;
  /** The same of the budgets. */
  readonly budgetsDigest?: string | null;
  /** IDs of the master keys that seal account keys. */
  readonly masterKeyIds?: readonly string[];
}

/** Outcome of the last reload. */
export interface LastReload {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly trigger: string;
  /** `success` or `failed`. */
  readonly outcome: string;
  readonly issues: readonly FieldIssue[];
}

/**
 * Status of the service. Fields of the specification are validated; the rest is passed on as sent
 * (docs/callers/api.md).
 */
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
    /** Milliseconds: `0.42ms`. */
    readonly avgSigningTime: string;
    readonly totalSigns: number;
    /** 0 to 1. */
    readonly errorRate: number;
  };
  /** The process that responded. */
  readonly instance?: { readonly id: string; readonly version: string };
  /** Only if requested with `include`. */
  readonly activity?: Activity;
  readonly audit?: JsonObject;
  readonly usage?: JsonObject;
  readonly load?: JsonObject;
  readonly rateLimits?: JsonObject | null;
  readonly tls?: JsonObject | null;
  readonly authentication?: JsonObject | null;
}

/** Number of refusals, and the last one. */
export interface RefusalCount {
  readonly count: number;
  /** Error code, see {@link ErrorCode}. */
  readonly lastCode: string | null;
  /** ISO 8601 UTC. */
  readonly lastAt: string;
}

/** A durable audit record in short; null for fields that the record lacks. */
export interface RecentRecord {
  /** ISO 8601 UTC. */
  readonly time: string;
  readonly event: string;
  /** `success`, `refused` or `failed`. */
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly principal: string | null;
  readonly policy: string | null;
  readonly correlationId: string | null;
}

/** Recent activity of the responding process since its start. */
export interface Activity {
  /** Duration of a sample, seconds. */
  readonly intervalSeconds: number;
  /** Signatures in each interval, oldest first, at most 60. */
  readonly signatures: readonly number[];
  /** Attempts without a signature in the same intervals. */
  readonly refusals: readonly number[];
  /** Since the process started, most frequent first, at most 20 of each kind. */
  readonly refusedBy: {
    readonly accounts: readonly (RefusalCount & AccountName)[];
    /** `principal` is null for callers that did not authenticate. */
    readonly callers: readonly (RefusalCount & { readonly principal: string | null })[];
    readonly policies: readonly (RefusalCount & { readonly policy: string })[];
  };
  /** The last successful load of the configuration; null before the first. */
  readonly lastLoad?: ReloadResult | null;
  /** The last durable audit records, newest first, at most 20. */
  readonly records: readonly RecentRecord[];
}

/** A check of the readiness. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** State or cause of a failure; absent from brief responses. */
  readonly detail?: string;
}

/** Whether the service can sign and is not stopping (docs/callers/api.md). */
export interface Readiness {
  readonly ready: boolean;
  /** By name; later services may add checks. */
  readonly checks: { readonly [name: string]: ReadinessCheck };
}
