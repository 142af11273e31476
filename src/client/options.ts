import { readFileSync } from 'node:fs';
import type { JsonObject } from './types.ts';

/** TLS and mutual TLS. PEM text, or a file of it. */
export interface TlsOptions {
  /** Trusted certificates, of authorities or of the service itself; default: Node's. */
  readonly ca?: GivenText;
  /** Client certificate chain; requires `key`. */
  readonly cert?: GivenText;
  readonly key?: GivenText;
  /** Name in the service's certificate if it differs from the URL's host. */
  readonly serverName?: string;
}

/** Retries of failed calls. */
export interface RetryOptions {
  /** Maximum attempts of a call, 1 to 10; default 3. 1 disables retries. */
  readonly attempts?: number;
  /** Delay before the second attempt, ms; doubles each time, with jitter. Default 100. */
  readonly baseDelayMs?: number;
  /** Maximum such delay, ms; default 2000. Retry-After may exceed it. */
  readonly maxDelayMs?: number;
  /**
   * Whether sign, verify and reload calls are retried after a broken connection, although the first
   * attempt may have succeeded: the same signature, two audit records. Default false.
   */
  readonly whenUnanswered?: boolean;
}

/**
 * How a platform turns `data` into bytes: a rule of docs/callers/payload-rules.md without options,
 * or a function.
 */
export type ExpectedPayload = 'jcs' | 'json' | 'raw' | ((data: JsonObject) => string | Uint8Array);

/**
 * Verification of signatures before they are returned.
 * - `never`
 * - `where-possible`: signatures of HMAC and starknet, and batch items without a pinned key, are
 * returned with `verified: false`
 * - `always`: a signature that cannot be verified is a VerificationError
 */
export type SignatureVerification = 'never' | 'where-possible' | 'always';

/** Options of a {@link SigningClient}. */
export interface SigningClientOptions {
  /**
   * URL of the service or its proxy: `https://signing.internal:8080`. A path precedes `/api/v1`.
   */
  readonly url: string;
  /** URL of the admin listener (SIGNING_ADMIN_PORT), for reload and status; default: `url`. */
  readonly adminUrl?: string;
  readonly tls?: TlsOptions;
  readonly authentication?: AuthenticationOptions;
  /** Timeout of a call with all its retries, ms; default 10000. */
  readonly timeoutMs?: number;
  /** Timeout of a connection and its TLS handshake, ms; default 2000. */
  readonly connectTimeoutMs?: number;
  /** Maximum concurrent connections; further calls wait. Default 64. */
  readonly maxConnections?: number;
  /** Lifetime of an idle connection, ms; default 30000, less if the service announces less. */
  readonly idleTimeoutMs?: number;
  /** Maximum size of a response body, bytes; default 67108864. */
  readonly maxAnswerBytes?: number;
  readonly retry?: RetryOptions | false;
  /** Default `where-possible` with `pinnedKeys`, else `never`. */
  readonly verifySignatures?: SignatureVerification;
  /**
   * Public keys as the service shows them, by `platformId/accountId`; any other key is a
   * VerificationError.
   */
  readonly pinnedKeys?: { readonly [platformAndAccount: string]: string };
  /** Whether signatures of accounts without a pinned key are rejected; default false. */
  readonly pinnedKeysOnly?: boolean;
  /**
   * Expected payloads by platformId, of a named rule by `platformId/rule`; compared when signatures
   * are verified.
   */
  readonly expectedPayloads?: { readonly [platformOrRule: string]: ExpectedPayload };
  /** Observes every attempt, for logs and metrics; its exceptions are ignored. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** One HTTP request, sent or failed. */
export interface Attempt {
  readonly requestId: string;
  readonly method: 'GET' | 'POST';
  /** Without the query. */
  readonly path: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Whether an open connection was reused. */
  readonly reusedConnection: boolean;
}

/** Options of a single call. */
export interface CallOptions {
  /**
   * Aborts the call, which rejects with the signal's reason. A request already sent may still take
   * effect.
   */
  readonly signal?: AbortSignal;
  /** Overrides the client's, ms. */
  readonly timeoutMs?: number;
  /**
   * Sent as `X-Request-Id`; appears in the service log, the audit log and every error. 1 to 128
   * letters, digits or `. _ : @ + -`, starting with a letter or digit; default: a random UUID.
   */
  readonly requestId?: string;
  /** Sent as `traceparent` (W3C Trace Context). */
  readonly traceparent?: string;
}

/** Options of a call that signs or verifies. */
export interface SigningCallOptions extends CallOptions {
  /** Whether to return the signed payload; default false. */
  readonly includePayload?: boolean;
}

/** Options of a call that signs. */
export interface SignCallOptions extends SigningCallOptions {
  /**
   * Whether to return the request as the venue takes it; default false. A platform or rule without
   * `send` refuses that.
   */
  readonly includeRequest?: boolean;
}

/** Options of a status call. */
export interface StatusCallOptions extends CallOptions {
  /** `activity` adds the recent activity of the process; older services refuse it. */
  readonly include?: readonly 'activity'[];
}

/** Mutual authentication (docs/callers/authentication.md). */
export interface AuthenticationOptions {
  /** The client's Ed25519 key: 64 hex digits, or PKCS#8 in PEM. */
  readonly privateKey: GivenText;
  /** The client's access token, base64. */
  readonly token: GivenText;
  /** The service's public key, base58 or 64 hex digits. */
  readonly serviceKey: string;
  /** Public keys of trusted authorities, base58 or 64 hex digits. */
  readonly authorityKeys: readonly string[];
}

/** Throws a TypeError for an unknown option, such as a misspelt one. */
export function rejectUnknown(options: object, allowed: readonly string[], where: string): void {
  const unknown = Object.keys(options).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`Unknown option ${unknown} of ${where}. The options are ${allowed.join(', ')}.`);
}

/** Returns an integer within bounds, or the default; throws a RangeError. */
export function wholeNumber(
  input: number | undefined,
  name: string,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const value = input ?? fallback;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer from ${min} to ${max}.`);
}

/** A text, or a file that contains it; read when the client is created. */
export type GivenText = string | { readonly file: string };

/** Returns the text. */
export function readSecretSource(source: GivenText): string {
  return typeof source === 'string' ? source : readFileSync(source.file, 'utf8');
}
