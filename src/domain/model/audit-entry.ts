import type { Algorithm } from './algorithm.ts';
import type { JsonObject } from './json.ts';

/** Recorded events; of `read` and `status`, which change nothing, only refusals. */
export const AUDIT_EVENTS = ['start', 'stop', 'sign', 'dry-run', 'verify', 'reload', 'read', 'status'] as const;

/** See {@link AUDIT_EVENTS}. */
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** Events that callers request. */
export type RequestedEvent = Exclude<AuditEvent, 'start' | 'stop' | DisplayedEvent>;

/** Events that only read. */
export type DisplayedEvent = 'read' | 'status';

/** `refused`: the request was at fault; `failed`: the service was. */
export type AuditOutcome = 'success' | 'refused' | 'failed';

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

/** A record of the audit file as followers see it; see docs/auditors/audit-format.md. */
export interface FollowedRecord extends Omit<AuditEntry, 'event' | 'algorithm'> {
  /** Number in its chain, from 1. */
  readonly seq: number;
  readonly event: AuditEvent | 'segment';
  readonly algorithm: string | null;
}

/** The fields that a filter reads. */
export type FilterFields = Pick<FollowedRecord, 'time' | 'event' | 'platformId' | 'accountId'> & {
  readonly outcome: string;
};

/** What a follower finds. */
export type FollowerEvent =
  /** A record; `line` is its line as in the file, without the newline. */
  | { readonly kind: 'record'; readonly record: FollowedRecord; readonly line: string }
  /**
   * An invalid line, missing records or a change of the file: one sentence, which may hold
   * characters of the file's path.
   */
  | { readonly kind: 'notice'; readonly text: string };

/** Where to follow from. */
export interface FollowRequest {
  readonly file: string;
  /**
   * Starts with the last N lines (records, with a filter), or with the first record at or after a
   * time (ISO 8601 UTC with milliseconds), rotated files included. Later records follow even if the
   * clock was set back.
   */
  readonly from: { readonly lines: number } | { readonly since: string };
  /** Selects records; null: all. */
  readonly isWanted: ((record: FilterFields) => boolean) | null;
  /** Whether to wait for new records, or to end after the existing ones. */
  readonly follow: boolean;
  /** Ends it within a second without an error; an AbortSignal fits. */
  readonly signal: { readonly aborted: boolean };
}
