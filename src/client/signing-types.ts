import type { JsonObject } from './json.ts';

/** Algorithms of version 1 of the API; a later service may have more. */
export type Algorithm = 'ed25519' | 'eip191' | 'eip712' | 'hyperliquid-l1' | 'hmac-sha256' | 'hmac-sha512';

/** How a signature is written: `hex` without a prefix, `0x-hex` with `0x`. */
export type SignatureEncoding = 'base58' | 'base64' | 'base64url' | 'hex' | '0x-hex';

/** What is to be signed, and by which account. */
export interface SignRequest {
  readonly platformId: string;
  readonly accountId: string;
  /** What the platform's format wants: texts, integers, booleans, null, arrays and plain objects. */
  readonly data: JsonObject;
}

/** One request of a batch. */
export interface BatchRequest extends SignRequest {
  /** Chosen by the caller, unique in the batch; its result has it, too. */
  readonly requestId: string;
}

/** Whether a signature is the account's over some data. */
export interface VerifyRequest extends SignRequest {
  /** In the platform's encoding. */
  readonly signature: string;
}

/** Texts that the service wrote and that have to be sent to the platform exactly so. */
export interface PayloadParts {
  readonly timestamp?: string;
  /** Without a leading `?`. */
  readonly query?: string;
  readonly body?: string;
  /** The account's fixed values that were signed, by name. */
  readonly values?: { readonly [name: string]: string };
}

/** What was signed; there where it was asked for with `includePayload`, and where signatures are verified. */
export interface SignedPayload {
  /** The exact text, or hex or base64 of bytes that are no text. */
  readonly payload?: string;
  /** Absent where `payload` is the text itself. */
  readonly payloadEncoding?: 'hex' | 'base64';
  readonly payloadParts?: PayloadParts;
}

/** A signature. */
export interface Signature extends SignedPayload {
  /** In `encoding`. */
  readonly signature: string;
  readonly algorithm: Algorithm;
  readonly encoding: SignatureEncoding;
  /** base58 of 32 bytes for `ed25519`; 0x-hex of the 65-byte point for Ethereum's algorithms; `hmac:` and 16 hex digits for HMAC, which has none. */
  readonly publicKey: string;
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** Whether this client verified the signature over the payload (`verifySignatures`). */
  readonly verified: boolean;
}

/** One signature of a batch. */
export interface BatchSuccess extends SignedPayload {
  readonly requestId: string;
  readonly status: 'success';
  /** In the encoding of the platform. */
  readonly signature: string;
  readonly algorithm: Algorithm;
  /** As in {@link Signature}. */
  readonly verified: boolean;
}

/** One request of a batch that was refused. */
export interface BatchFailure {
  readonly requestId: string;
  readonly status: 'failed';
  readonly error: { readonly code: string; readonly message: string; readonly details: JsonObject };
}

/** How one request of a batch ended. */
export type BatchItemResult = BatchSuccess | BatchFailure;

/** How a batch ended: one result a request, in their order. */
export interface BatchResult {
  readonly results: readonly BatchItemResult[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

/** Whether a signature is right. */
export interface Verification extends SignedPayload {
  readonly valid: boolean;
}
