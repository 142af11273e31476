import type { FixedValues } from '../model/fixed-values.ts';
import type { JsonObject } from '../model/json.ts';
import type { Platform } from '../model/platform.ts';

/** A key that was published together with what it signed, in the form in which it was: it is nobody's, and secret from nobody. */
export type PublishedKey =
  /** An HMAC secret as the venue gives it. */
  | { readonly text: string }
  /** An ed25519 seed or a secp256k1 key, 32 bytes. */
  | { readonly hex: string }
  /** PKCS#8. */
  | { readonly pem: string };

/** One published signature, from what callers post to what comes back. */
export interface PresetExample {
  /** Where key and signature are published. */
  readonly source: string;
  readonly key: PublishedKey;
  /** The account's own fixed values; absent: it has none. */
  readonly values?: FixedValues;
  /** `data` of the signing request. */
  readonly data: JsonObject;
  /** The text that is signed, or the hex digits of its bytes. */
  readonly payload: string;
  /** Present where the bytes that are signed are no text. */
  readonly payloadEncoding?: 'hex';
  readonly signature: string;
}

/** How one venue wants its requests signed: everything that a platform's entry in the configuration says but its id. */
export interface VenuePreset {
  /** How operators call it: lower-case letters, digits and `-`. */
  readonly name: string;
  /** The venue and which of its interfaces, for people. */
  readonly venue: string;
  /** The venue's own page on signing. */
  readonly docs: string;
  readonly platform: Omit<Platform, 'platformId'>;
  /** What an account's key file has to hold. */
  readonly keyFile: string;
  /** How that file is written, where its content leaves a doubt; absent: `account add` can tell, or the platform's `secretDecoding` says it. */
  readonly keyFormat?: 'base58' | 'base64';
  /** Fixed values that each account needs, and what they are; absent: none. */
  readonly values?: { readonly [name: string]: string };
  /** What callers and operators have to know, one sentence or a few each. */
  readonly notes: readonly string[];
  readonly example: PresetExample;
}
