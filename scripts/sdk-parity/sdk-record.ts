import type { FixedValues } from '../../src/domain/model/payload-rule.ts';

/**
 * A request as a client sent it; names of headers are lowercase. Method MESSAGE: of a WebSocket.
 */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** What one call of a client signed, or why it signed nothing. */
export interface SdkRecord {
  readonly preset: string;
  /** Named rule of the preset; absent: its default rule. */
  readonly rule?: string;
  /** Kind of request, such as `order` or `non-ASCII`. */
  readonly kind: string;
  /** The client, by its package. */
  readonly source: string;
  readonly values?: FixedValues;
  readonly request?: SentRequest;
  /** HMAC inputs, hex; empty where they are unknown. */
  readonly signed?: readonly string[];
  readonly problem?: string;
}

/** Test keys of the records; nobody holds anything with them. */
export const SDK_KEYS = {
  apiKey: 'test-api-key',
  passphrase: 'test-passphrase',
  /** HMAC secret as text. */
  secret: 'test-secret',
  /** HMAC secret as base64: Kraken. */
  base64Secret: 'dGVzdC1zZWNyZXQ=',
  /** Seed of an Ed25519 key, hex. */
  seed: '07'.repeat(32),
  /** The same in base58: Orderly. */
  seedBase58: 'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
  /** Private key of an Ethereum account, hex. */
  ethereumKey: `${'0123456789'.repeat(6)}0123`,
} as const;
