import type { JsonObject } from '../model/json.ts';
import type { FixedValues } from '../model/payload-rule.ts';
import type { Platform } from '../model/platform.ts';

/** A published key as published with what it signed; no secret. */
export type PublishedKey =
  /** An HMAC secret as the venue issues it. */
  | { readonly text: string }
  /** An ed25519 seed, or a secp256k1 or P-256 key, 32 bytes. */
  | { readonly hex: string }
  /** PKCS#8 of Ed25519 or RSA, or SEC1 for P-256. */
  | { readonly pem: string };

/** One published signature: request and response. */
export interface PresetExample {
  /** Publication of key and signature, or with `isComputed` of the text that is signed. */
  readonly source: string;
  /** The signature was computed from the documented text or message, as nobody published one. */
  readonly isComputed?: true;
  readonly key: PublishedKey;
  /** The account's fixed values; absent: none. */
  readonly values?: FixedValues;
  /** `data` of the signing request. */
  readonly data: JsonObject;
  /** The signed text, or the hex of its bytes. */
  readonly payload: string;
  /** Present for binary payloads. */
  readonly payloadEncoding?: 'hex';
  readonly signature: string;
}

/** What a named rule of a preset is for. */
export interface PresetRule {
  /** Interface of the venue, for people. */
  readonly venue: string;
  /** The venue's documentation of signing. */
  readonly docs: string;
  /** Notes for callers and operators, one sentence or a few each. */
  readonly notes: readonly string[];
  readonly example: PresetExample;
}

/** Names the older preset of a rule alone, which explains it; both write the same rule. */
export interface RuleAlias {
  readonly alias: string;
}

/** A venue's signing options: a platform's configuration without its id. */
export interface VenuePreset {
  /** Lowercase letters, digits and `-`. */
  readonly name: string;
  /** Venue and interface, for people. */
  readonly venue: string;
  /** The venue's documentation of signing. */
  readonly docs: string;
  readonly platform: Omit<Platform, 'platformId'>;
  /** Explains each of the platform's named rules; absent: none. */
  readonly rules?: { readonly [name: string]: PresetRule | RuleAlias };
  /** Content of an account's key file. */
  readonly keyFile: string;
  /** Format of that file; absent: `account add` detects it, or `secretDecoding` decides. */
  readonly keyFormat?: 'base58' | 'base64';
  /** Fixed values that each account needs for any of the rules, with descriptions; absent: none. */
  readonly values?: { readonly [name: string]: string };
  /** Notes for callers and operators, one sentence or a few each. */
  readonly notes: readonly string[];
  readonly example: PresetExample;
}
