import type { ALGORITHM_SCHEMES } from './algorithms.ts';

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
export type Algorithm = keyof typeof ALGORITHM_SCHEMES;

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

/** The signed texts by name, which must be sent to the platform verbatim. */
export interface PayloadParts {
  readonly timestamp?: string;
  /** In upper or lower case, as signed. */
  readonly method?: string;
  readonly path?: string;
  /** Without the leading `?`; of rule `query` the parameters alone. */
  readonly query?: string;
  /** Before it is hashed. */
  readonly body?: string;
  /** Other signed members of `data`, such as a nonce. */
  readonly data?: { readonly [name: string]: string };
  /** The account's fixed values, by name; `passphrase` is not signed. */
  readonly values?: { readonly [name: string]: string };
}

/**
 * A signed HTTP request as the venue takes it; `fillRequest` and `sendRequest` complete it. What
 * the service does not hold, such as a passphrase, stands as `{name}` in its texts.
 */
export interface HttpRequestToSend {
  /** In upper case. */
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** Absent: no body. */
  readonly body?: string;
  /** The names of what the service does not hold. */
  readonly missing: readonly string[];
}

/** A signed message of a WebSocket, JSON; see {@link HttpRequestToSend}. */
export interface MessageToSend {
  readonly message: string;
  readonly missing: readonly string[];
}

/** What `includeRequest` returns. */
export type RequestToSend = HttpRequestToSend | MessageToSend;

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
  /** In the form of the algorithm, see the page Payload rules of the service. */
  readonly publicKey: string;
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** Present with `includeRequest`. */
  readonly request?: RequestToSend;
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
  /** Present with `includeRequest`. */
  readonly request?: RequestToSend;
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

/** A JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** Whether a value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
