import type { Algorithm } from './algorithm.ts';
import type { JsonObject } from './json.ts';

/** What the service puts on record; of `read` and `status`, which change nothing, only what was refused to its caller. */
export const AUDIT_EVENTS = ['start', 'stop', 'sign', 'verify', 'reload', 'read', 'status'] as const;

/** See {@link AUDIT_EVENTS}. */
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** What callers ask to have done. */
export type RequestedEvent = Exclude<AuditEvent, 'start' | 'stop' | ShownEvent>;

/** What callers ask to be shown. */
export type ShownEvent = 'read' | 'status';

/** `success`: done. `refused`: the request was at fault. `failed`: the service was. */
export type AuditOutcome = 'success' | 'refused' | 'failed';

/** One fact for the auditors: flat, every field always present, null where it does not apply. */
export interface AuditEntry {
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  readonly errorCode: string | null;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly algorithm: Algorithm | null;
  /** Short name of the key that signed. */
  readonly keyId: string | null;
  /** Name of the policy that decided. */
  readonly policy: string | null;
  /** `sha256:<64 hex>` of the bytes signed. */
  readonly payloadDigest: string | null;
  /** `sha256:<64 hex>` of the signature text as returned, or as given to be verified. */
  readonly signatureDigest: string | null;
  /** The request's data, masked by the allowlist of its platform's format (null where no platform is known); for other events, facts about the event. */
  readonly data: JsonObject | null;
  readonly correlationId: string | null;
  /** The caller's place in a trace, as `CallContext` has it. */
  readonly traceparent: string | null;
  readonly batchRequestId: string | null;
  readonly principal: string | null;
  readonly remoteAddress: string | null;
  /** Milliseconds from the start of the attempt to the making of this record. */
  readonly durationMs: number | null;
  readonly instanceId: string;
}

/** The fields of an entry that is about no request: those of one that is are put in their place. */
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
