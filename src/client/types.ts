import type { FieldIssue } from './errors.ts';

/** An account in a list. */
export interface ListedAccount {
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  /** `active` or `disabled`: the account's own. */
  readonly status: string;
  /** `disabled` if the platform is disabled, so that the account cannot sign. */
  readonly platformStatus?: string;
  readonly environment: string;
  readonly usage: {
    readonly totalSigns: number;
    /** ISO 8601 UTC; null before the first signature. */
    readonly lastSignAt: string | null;
    /** Failed attempts, refused ones included. */
    readonly errorCount: number;
  };
  /** EIP-55 address of an Ethereum account. */
  readonly address?: string;
}

/** One account. */
export interface Account {
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  /** `active` or `disabled`: the account's own. */
  readonly status: string;
  /** `disabled` if the platform is disabled, so that the account cannot sign. */
  readonly platformStatus?: string;
  readonly environment: string;
  readonly algorithm: string;
  readonly publicKey: string;
  /**
   * Short name of the key in audit records: the first 16 hex digits of the SHA-256 of `publicKey`;
   * for HMAC `publicKey` itself. Older services omit it.
   */
  readonly keyId?: string;
  /** Ethereum address (EIP-55) of accounts that have one. */
  readonly address?: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; null before the first signature. */
  readonly lastUsed: string | null;
}

/** All accounts that the caller may read, in configured order. */
export interface AccountList {
  readonly accounts: readonly ListedAccount[];
  readonly total: number;
}

/** One page of accounts, ordered by platform and account id. */
export interface AccountPage extends AccountList {
  /** `cursor` of the next page; null on the last. */
  readonly nextCursor: string | null;
}

/** Identifies an account. */
export interface AccountName {
  readonly platformId: string;
  readonly accountId: string;
}

/** Filter of the account list; empty for all. */
export interface AccountSelection {
  readonly platformId?: string;
}

/** Page of the account list. */
export interface PageSelection extends AccountSelection {
  /** Page size, 1 to 1000; default 1000. */
  readonly limit?: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string;
}

/** Algorithms of API version 1; later services may add more. */
export type Algorithm =
  | 'ed25519'
  | 'eip191'
  | 'eip712'
  | 'hyperliquid-l1'
  | 'hmac-sha256'
  | 'hmac-sha384'
  | 'hmac-sha512'
  | 'starknet'
  | 'rsa-sha256'
  | 'cosmos'
  | 'es256';

/**
 * Text encoding of a signature: `base64url` without padding, `base64url-padded` with `=`; `hex`
 * without prefix, `0x-hex` with `0x`.
 `jws-compact`: the whole
 * token, that is the signed text, `.` and the signature in base64url.
 */
export type SignatureEncoding =
  | 'base58'
  | 'base64'
  | 'base64url'
  | 'base64url-padded'
  | 'hex'
  | '0x-hex'
  | 'jws-compact';

/** Data to sign and the account to sign it with. */
export interface SignRequest {
  readonly platformId: string;
  readonly accountId: string;
  /** In the platform's format, or as the named rule takes it: plain JSON values. */
  readonly data: JsonObject;
  /** One of the platform's named rules; absent: its default rule. */
  readonly rule?: string;
}

/** One request of a batch. */
export interface BatchRequest extends SignRequest {
  /** Chosen by the caller, unique in the batch; repeated in its result. */
  readonly requestId: string;
}

/** A signature to verify. */
export interface VerifyRequest extends SignRequest {
  /** In the encoding of the rule or platform. */
  readonly signature: string;
}

/** Texts that must be sent to the platform verbatim. */
export interface PayloadParts {
  readonly timestamp?: string;
  /** Without the leading `?`. */
  readonly query?: string;
  readonly body?: string;
  /** The account's fixed values that were signed, by name. */
  readonly values?: { readonly [name: string]: string };
}

/** What was signed; present with `includePayload` and when signatures are verified. */
export interface SignedPayload {
  /** The exact text, or hex or base64 of binary data. */
  readonly payload?: string;
  /** Absent if `payload` is the text itself. */
  readonly payloadEncoding?: 'hex' | 'base64';
  readonly payloadParts?: PayloadParts;
}

/** A signature. */
export interface Signature extends SignedPayload {
  /** In `encoding`. */
  readonly signature: string;
  /** The rule's, else the account's. */
  readonly algorithm: Algorithm;
  readonly encoding: SignatureEncoding;
  /**
   * `ed25519`: base58 of 32 bytes. Ethereum: 0x-hex of the 65-byte point. `starknet`: 0x-hex of 32
   * bytes. `es256`: base64 of DER
   * SubjectPublicKeyInfo. HMAC: `hmac:` and 16 hex digits of a key id.
   */
  readonly publicKey: string;
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** Whether this client verified the signature (`verifySignatures`). */
  readonly verified: boolean;
}

/** One signature of a batch. */
export interface BatchSuccess extends SignedPayload {
  readonly requestId: string;
  readonly status: 'success';
  /** In the encoding of the rule or platform. */
  readonly signature: string;
  readonly algorithm: Algorithm;
  /** See {@link Signature}. */
  readonly verified: boolean;
}

/** A failed item of a batch. */
export interface BatchFailure {
  readonly requestId: string;
  readonly status: 'failed';
  readonly error: { readonly code: string; readonly message: string; readonly details: JsonObject };
}

/** Result of one item of a batch. */
export type BatchItemResult = BatchSuccess | BatchFailure;

/** Results in request order. */
export interface BatchResult {
  readonly results: readonly BatchItemResult[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

/** Result of verifying a signature. */
export interface Verification extends SignedPayload {
  readonly valid: boolean;
}

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
    readonly more: { readonly [List in 'added' | 'removed' | 'changed']: number };
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

/** A JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** Whether a value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
