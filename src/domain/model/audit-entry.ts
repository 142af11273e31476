import type { Algorithm } from './algorithm.ts';
import type { JsonObject } from './json.ts';

/** Recorded events; of `read` and `status`, which change nothing, only refusals. */
export const AUDIT_EVENTS = ['start', 'stop', 'sign', 'dry-run', 'verify', 'reload', 'read', 'status'] as const;

/** See {@link AUDIT_EVENTS}. */
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** `refused`: the request was at fault; `failed`: the service was. */
export const AUDIT_OUTCOMES = ['success', 'refused', 'failed'] as const;

/** See {@link AUDIT_OUTCOMES}. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** One audit entry: flat, every field present, null where it does not apply. */
export interface AuditEntry {
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  readonly errorCode: string | null;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly algorithm: Algorithm | null;
  /** The account's key, see `Account.keyId`; null without an account. */
  readonly keyId: string | null;
  /**
   * Names of the policies that decided, joined by commas; `budget:NAME` refused the request,
   * `audit:NAME` would have denied it.
   */
  readonly policy: string | null;
  /** `sha256:<64 hex>` of the bytes signed. */
  readonly payloadDigest: string | null;
  /** `sha256:<64 hex>` of the signature text, as returned or as sent for verification. */
  readonly signatureDigest: string | null;
  /**
   * Request data masked by the platform's allowlist, null without a platform; for other events,
   * their facts.
   */
  readonly data: JsonObject | null;
  readonly correlationId: string | null;
  /** As `CallContext.traceparent`. */
  readonly traceparent: string | null;
  readonly batchRequestId: string | null;
  readonly principal: string | null;
  readonly remoteAddress: string | null;
  /** Milliseconds from the start of the attempt to this entry. */
  readonly durationMs: number | null;
  readonly instanceId: string;
}

/** Fields of an entry without a request; those of a request override them. */
export const NO_REQUEST = {
  errorCode: null,
  platformId: null,
  accountId: null,
  algorithm: null,
  keyId: null,
  policy: null,
  payloadDigest: null,
  signatureDigest: null,
  data: null,
  correlationId: null,
  traceparent: null,
  batchRequestId: null,
  principal: null,
  remoteAddress: null,
  durationMs: null,
} as const satisfies Partial<AuditEntry>;

/** Events of records: the service's own, and `segment` for the first record of each file. */
export const RECORD_EVENTS = [...AUDIT_EVENTS, 'segment'] as const;

/** A record of the audit file; docs/auditors/audit-format.md explains its fields. */
export interface AuditRecord extends Omit<AuditEntry, 'event' | 'algorithm'> {
  /** Version of the format. */
  readonly v: 2;
  /** Number in its chain, from 1. */
  readonly seq: number;
  readonly event: (typeof RECORD_EVENTS)[number];
  /** Other releases may have other algorithms. */
  readonly algorithm: string | null;
  /** `sha256:<64 hex>` of the line before; null in the first record of a chain. */
  readonly prevHash: string | null;
  /** Ed25519 signature, base64 of 64 bytes; last record of a group only. */
  readonly sig?: string;
}

/** The last record of a chain. */
export interface AuditHead {
  /** 0 before the first record. */
  readonly seq: number;
  /** `sha256:<64 hex>` of its line; null before the first record, and where a sink has none. */
  readonly hash: string | null;
}

/**
 * A signed head of a chain (docs/auditors/audit-format.md). Kept elsewhere, it proves that all
 * records up to it were written.
 */
export interface AuditCheckpoint {
  /** The process that wrote the record. */
  readonly instanceId: string;
  readonly seq: number;
  /** Time of the record, ISO 8601 UTC; covered by `hash`. */
  readonly time: string;
  /** `sha256:<64 hex>` of the record's line up to `,"sig":`. */
  readonly hash: string;
  /** Ed25519 signature of the audit key, base64 of 64 bytes. */
  readonly sig: string;
}

/** What a follower finds. */
export type FollowerEvent =
  /** A record; `line` is its line as in the file, without the newline. */
  | { readonly kind: 'record'; readonly record: AuditRecord; readonly line: string }
  /**
   * An invalid line, missing records or a change of the file: one sentence, which may hold
   * characters of the file's path.
   */
  | { readonly kind: 'notice'; readonly text: string };

/** Where to follow from. */
export interface FollowRequest {
  /** Path of an audit file, whose segments are read, or of one segment or copy. */
  readonly file: string;
  /**
   * Starts with the last N lines (records, with a filter), or with the first record at or after a
   * time (ISO 8601 UTC with milliseconds), older segments included. Later records follow even if
   * the clock was set back.
   */
  readonly from: { readonly lines: number } | { readonly since: string };
  /** Selects records; null: all. */
  readonly isWanted: ((record: AuditRecord) => boolean) | null;
  /** Whether to wait for new records, or to end after the existing ones. */
  readonly follow: boolean;
  /** Ends it within a second without an error; an AbortSignal fits. */
  readonly signal: { readonly aborted: boolean };
}
