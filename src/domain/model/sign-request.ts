import type { JsonObject } from './json.ts';

/** What a caller wants signed, and by which account. */
export interface SignRequest {
  readonly platformId: string;
  readonly accountId: string;
  readonly data: JsonObject;
}

/** Who asks, as the driving adapter knows it; it goes on the audit record. */
export interface CallContext {
  /** Ties one call's audit records, log lines and response together. The caller may have chosen it, and may use it for other calls, too. */
  readonly correlationId: string;
  /** The caller's place in a trace (W3C Trace Context §3.2, the 55 characters of version 00); null where it names none. */
  readonly traceparent: string | null;
  /** Peer's IP address in text form, null where there is none. */
  readonly remoteAddress: string | null;
  /** Who the caller proved to be (see `principal.ts`); null where it proved nothing. */
  readonly principal: string | null;
}

/** Whose permissions count. */
export type Caller = Pick<CallContext, 'principal'>;
