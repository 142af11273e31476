import type { Algorithm, SignatureForm } from './algorithm.ts';
import type { JsonObject } from './json.ts';
import type { Payload } from './payload.ts';
import type { PolicyDecision } from './policy.ts';
import type { Refusal } from './refusal.ts';
import type { WrittenRequest } from './send.ts';

/** A caller's `requestId`: 1 to 128 visible ASCII characters. */
export const REQUEST_ID_PATTERN = /^[\x21-\x7e]{1,128}$/;

/** A request to sign `data` with an account. */
export interface SignRequest {
  readonly platformId: string;
  readonly accountId: string;
  readonly data: JsonObject;
  /** Name of one of the platform's named rules; absent: its default rule. */
  readonly rule?: string;
  /** Whether the caller wants the request that the venue takes; absent: no. */
  readonly wantsRequest?: boolean;
}

/** One item of a batch. */
export interface BatchItem extends SignRequest {
  /** Chosen by the caller, unique within the batch, echoed in the result. */
  readonly requestId: string;
}

/** The caller, as the driving adapter knows it; goes on the audit record. */
export interface CallContext {
  /**
   * Ties a call's audit records, log lines and response together. Callers may choose and reuse it.
   */
  readonly correlationId: string;
  /** W3C Trace Context §3.2, the 55 characters of version 00; null for none. */
  readonly traceparent: string | null;
  /** Peer IP address; null for none. */
  readonly remoteAddress: string | null;
  /** Authenticated caller name (see `authentication.ts`); null if unauthenticated. */
  readonly principal: string | null;
  /** Whether nobody waits for the result any more; absent: the caller stays. */
  readonly hasLeft?: () => boolean;
}

/** The caller whose permissions count. */
export type Caller = Pick<CallContext, 'principal'>;

/** A released signature. */
export interface SignedResult {
  /** Text in `encoding`. */
  readonly signature: string;
  /** The rule's, else the account's. */
  readonly algorithm: Algorithm;
  readonly encoding: SignatureForm;
  readonly publicKey: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly signedAt: string;
  readonly payload: Payload;
  /** If the caller wants it. */
  readonly request?: WrittenRequest;
}

/** What signing would come to. */
export interface DryRunResult {
  readonly payload: Payload;
  readonly decision: PolicyDecision;
  /** What a request to sign would be refused with; null if it would be signed. */
  readonly refusal: Refusal | null;
  /** If the caller wants it: without its signature. */
  readonly request?: WrittenRequest;
}

/** A signature to verify. */
export interface VerifyRequest extends SignRequest {
  /** Text in the encoding of the rule or platform. */
  readonly signature: string;
}

/** Whether it is the account's signature over the data. */
export interface VerifiedResult {
  readonly valid: boolean;
  readonly payload: Payload;
}
