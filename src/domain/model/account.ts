import { ALGORITHM_ROWS, type Algorithm, type KeyKind } from './algorithm.ts';
import type { FixedValues } from './payload.ts';
import { compareText } from './text/compare-text.ts';

/**
 * Platform and account ids: 1 to 128 letters, digits and `. _ : @ + -`, starting with a letter or
 * digit. Safe in audit lines, URL segments and logs without escaping; never a path.
 */
export const IDENTIFIER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** `environment`: a slug. */
export const ENVIRONMENT_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

/** Longest time that a replaced key is kept, see {@link Account.overlapSeconds}. */
export const MAX_OVERLAP_SECONDS = 3600;

/** `active` accounts sign; `disabled` ones are refused with ACCOUNT_INACTIVE. */
export const ACCOUNT_STATUSES = ['active', 'disabled'] as const;

/** See {@link ACCOUNT_STATUSES}. */
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** The public properties of an account: everything but its key. */
export interface AccountProfile {
  /** Unique within its platform. */
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  readonly status: AccountStatus;
  /** A slug, `^[a-z][a-z0-9-]{0,31}$`. */
  readonly environment: string;
  readonly algorithm: Algorithm;
  /** Text form, as the algorithm's Signer writes it. */
  readonly publicKey: string;
  /**
   * Ethereum address of the public key, with the checksum of EIP-55; absent where the algorithm has
   * none.
   */
  readonly address?: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** Absent: none. */
  readonly values?: FixedValues;
}

/** With the Ethereum address: null while the public key is unknown, absent without one. */
export type WithAddress<Listed> = Listed & { readonly address?: string | null };

/** What identifies an account. */
export type AccountIds = Pick<AccountProfile, 'platformId' | 'accountId'>;

/** Names an account in messages and keys: `platformId/accountId`; no id has a slash. */
export function toAccountName({ platformId, accountId }: AccountIds): string {
  return `${platformId}/${accountId}`;
}

/** Orders accounts by platform, then account, in UTF-16 code units. */
export function compareAccountIds(left: AccountIds, right: AccountIds): number {
  return compareText(left.platformId, right.platformId) || compareText(left.accountId, right.accountId);
}

/** An account that this service can sign for. */
export interface Account extends AccountProfile {
  readonly key: KeyHandle;
  /** Short name of the key in records, see `toKeyId`. */
  readonly keyId: string;
  /**
   * Names the key in its source. Equal revisions let a reload keep the tested key; absent: open it
   * again.
   */
  readonly keyRevision?: string;
  /**
   * Seconds, 1 to {@link MAX_OVERLAP_SECONDS}, that the key which this one replaced stays in the
   * vault after the reload; absent: it is wiped at once.
   */
  readonly overlapSeconds?: number;
}

/** Names a key in a KeyStore. Reveals nothing and is useless without that KeyStore. */
export interface KeyHandle {
  readonly id: string;
}

/** Length of private keys, bytes. */
export interface KeyLengths {
  readonly min: number;
  readonly max: number;
}

const NUMBER: KeyLengths = { min: 32, max: 32 };

const KEY_LENGTHS: { readonly [Kind in KeyKind]: KeyLengths } = {
  ...{ ed25519: NUMBER, secp256k1: NUMBER, p256: NUMBER, stark: NUMBER },
  rsa: { min: 1000, max: 2400 },
  secret: { min: 1, max: 1024 },
};

/** Moduli of RSA keys. */
export const RSA_MODULUS_BITS = { min: 2048, max: 4096 };

/** Lengths of an algorithm's private keys; RSA keys are in DER (RFC 8017 §A.1.2). */
export function getKeyLengths(algorithm: Algorithm): KeyLengths {
  return KEY_LENGTHS[ALGORITHM_ROWS[algorithm].keys];
}

/** `32` or `1 to 1024`, for messages. */
export function formatLengths({ min, max }: KeyLengths): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

/** The one length of such keys; undefined where it varies, so that none can be generated. */
export function fixedLength({ min, max }: KeyLengths): number | undefined {
  return min === max ? min : undefined;
}

/**
 * Private key bytes: visible only inside a synchronous callback, wiped when it returns. Never keep
 * a reference, copy them, or turn them into text or a BigInt.
 */
export type SecretBytes = Uint8Array;

/**
 * How an HMAC secret is decoded from the text that a platform issues.
 *
 * - `utf8`: the text's own bytes (most platforms, also where the text looks like hex)
 * - `hex`: two digits per byte; `base64`: RFC 4648 §4 (Kraken); `base64url`: RFC 4648 §5, with or
 *   without padding (Polymarket)
 * - `base64-text`: the base64 form of the text, as ASCII, is the secret (ApeX)
 */
export const SECRET_DECODINGS = ['utf8', 'hex', 'base64', 'base64url', 'base64-text'] as const;

/** See {@link SECRET_DECODINGS}. */
export type SecretDecoding = (typeof SECRET_DECODINGS)[number];

/** How keys are protected, for monitoring. */
export interface KeyProtection {
  /** Protections so far, the first included; rises with each refresh. */
  readonly generation: number;
  readonly keys: number;
}

/** Use of an account's key, as far as the audit record goes back. */
export interface Usage {
  readonly totalSigns: number;
  /** Time of the last signature's record, ISO 8601 UTC; null before the first. */
  readonly lastSignAt: string | null;
  /** Recorded attempts without a signature, refused ones included. */
  readonly errorCount: number;
}

/** Of an account before its first record. */
export const UNUSED: Usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Totals over all accounts, and over attempts on accounts that don't exist. */
export interface UsageTotals {
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** Which replicas' counters sums include. */
export interface UsageSharing {
  readonly shared: boolean;
  /** `behind`: sums may lack counts of other replicas, or theirs may lack ours. */
  readonly state: 'current' | 'behind';
  /** ISO 8601 UTC; null while current. */
  readonly behindSince: string | null;
  /** For operators, without secrets; null while current or without a known reason. */
  readonly reason: string | null;
  /** This one included. */
  readonly replicas: number;
}
