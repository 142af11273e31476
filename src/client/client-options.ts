import type { AuthenticationOptions } from './authentication-options.ts';
import type { GivenText } from './given-text.ts';
import type { JsonObject } from './json.ts';

/** TLS: whom to believe, and for mutual TLS who calls. Everything is PEM, or a file of it. */
export interface TlsOptions {
  /** Certificates of the authorities that are believed; default: those that Node believes. */
  readonly ca?: GivenText;
  /** The client's certificate chain; with `key`. */
  readonly cert?: GivenText;
  readonly key?: GivenText;
  /** Name in the service's certificate, where it is not the host of the URL. */
  readonly serverName?: string;
}

/** When what failed is asked again. */
export interface RetryOptions {
  /** How often a call is sent at the most, 1 to 10; default 3. 1: never again. */
  readonly attempts?: number;
  /** Wait before the second attempt, milliseconds, doubled each time, of which a random part counts; default 100. */
  readonly baseDelayMs?: number;
  /** Longest such wait, milliseconds; default 2000. What the service names in Retry-After counts whole. */
  readonly maxDelayMs?: number;
  /** Whether calls that sign, verify or reload are sent again although the first may have been done (the connection broke before the answer): default false. Twice the same signature, and two audit records. */
  readonly whenUnanswered?: boolean;
}

/** What a platform's rule makes of `data`: one of the rules of docs/PAYLOAD_RULES.md without options, or a function. */
export type ExpectedPayload = 'jcs' | 'json' | 'raw' | ((data: JsonObject) => string | Uint8Array);

/**
 * Whether signatures are verified before they are returned.
 *
 * - `never`
 * - `where-possible`: HMAC, which only the holder of the secret can check, and items of batches whose account has no pinned key are returned with `verified: false`
 * - `always`: what can't be verified is a VerificationError
 */
export type SignatureVerification = 'never' | 'where-possible' | 'always';

/** What a client is made of. */
export interface SigningClientOptions {
  /** Of the service, or of what stands in front of it: `https://signing.internal:8080`. A path in it goes before `/api/v1`. */
  readonly url: string;
  /** Of the operators' listener (SIGNING_ADMIN_PORT), for reload and status; default: `url`. */
  readonly adminUrl?: string;
  readonly tls?: TlsOptions;
  readonly authentication?: AuthenticationOptions;
  /** For a whole call with its repetitions, milliseconds; default 10000. */
  readonly timeoutMs?: number;
  /** For one connection with its TLS handshake, milliseconds; default 2000. */
  readonly connectTimeoutMs?: number;
  /** Most connections at once; what is beyond waits for one. Default 64. */
  readonly maxConnections?: number;
  /** How long a connection is kept that has nothing to do, milliseconds; default 30000, less where the service says so. */
  readonly idleTimeoutMs?: number;
  /** Longer answers are refused; default 67108864. */
  readonly maxAnswerBytes?: number;
  readonly retry?: RetryOptions | false;
  /** Default `where-possible` with `pinnedKeys`, else `never`. */
  readonly verifySignatures?: SignatureVerification;
  /** Public keys as the service shows them, by `platformId/accountId`: a signature or an account with another one is a VerificationError. */
  readonly pinnedKeys?: { readonly [platformAndAccount: string]: string };
  /** Whether signatures of accounts without a pinned key are refused; default false. */
  readonly pinnedKeysOnly?: boolean;
  /** What the payload has to be, by platformId; looked at where signatures are verified. */
  readonly expectedPayloads?: { readonly [platformId: string]: ExpectedPayload };
  /** Hears of every attempt, for logs and metrics; what it throws is ignored. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** One request that was sent, or could not be. */
export interface Attempt {
  readonly requestId: string;
  readonly method: 'GET' | 'POST';
  /** Without the query. */
  readonly path: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Whether an open connection was used again. */
  readonly reusedConnection: boolean;
}

/** What one call may have of its own. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. What was sent by then may be done all the same. */
  readonly signal?: AbortSignal;
  /** Instead of the client's, milliseconds. */
  readonly timeoutMs?: number;
  /** Sent as `X-Request-Id`; stands in the service log, the audit record and every error. 1 to 128 of `A-Z a-z 0-9 . _ : @ + -`, a letter or digit first; default: a random UUID. */
  readonly requestId?: string;
  /** Sent as `traceparent` (W3C Trace Context). */
  readonly traceparent?: string;
}

/** What a call to sign or verify may have of its own. */
export interface SigningCallOptions extends CallOptions {
  /** Whether the answer shall hold what was signed; default false. */
  readonly includePayload?: boolean;
}
