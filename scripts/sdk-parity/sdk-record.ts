import { createECDH, createPrivateKey } from 'node:crypto';
import type { FixedValues } from '../../src/domain/model/payload-rule.ts';
import { RFC_9500_KEY } from '../../src/domain/presets/published-rsa-keys.ts';

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

const SEED = '07'.repeat(32);
const SCALAR = `${'0123456789'.repeat(6)}0123`;

/** Test keys of the records; nobody holds anything with them. */
export const SDK_KEYS = {
  apiKey: 'test-api-key',
  passphrase: 'test-passphrase',
  /** HMAC secret as text. */
  secret: 'test-secret',
  /** HMAC secret as base64 and base64url: Kraken, Polymarket. */
  base64Secret: 'dGVzdC1zZWNyZXQ=',
  /** Seed of an Ed25519 key, hex. */
  seed: SEED,
  /** The same in base58: Orderly. */
  seedBase58: 'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
  /** The same as PEM (PKCS#8, RFC 8410 §7). */
  ed25519Pem: toEd25519Pem(SEED),
  /** Private key on secp256k1 and the StarkNet curve, hex. */
  ethereumKey: SCALAR,
  /** The same number as a key on P-256, PEM (SEC 1, RFC 5915): Coinbase. */
  p256Pem: toP256Pem(SCALAR),
  /** RSA key of 2048 bits, PEM (PKCS#8). */
  rsaPem: RFC_9500_KEY,
} as const;

function toEd25519Pem(seed: string): string {
  const key = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** With the public key, which ccxt requires. */
function toP256Pem(scalar: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(scalar, 'hex');
  const point = pair.getPublicKey('hex');
  const [d, x, y] = [scalar, point.slice(2, 66), point.slice(66)].map((hex) =>
    Buffer.from(hex, 'hex').toString('base64url'),
  ) as [string, string, string];
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x, y }, format: 'jwk' });
  return key.export({ format: 'pem', type: 'sec1' }).toString();
}
