import type { FixedValues } from './fixed-values.ts';
import type { JsonObject } from './json.ts';

/** Names of the payload rules: how the bytes to sign are made from `data`. */
export const PAYLOAD_RULES = [
  'jcs',
  'json',
  'raw',
  'query',
  'prehash',
  'kraken',
  'backpack',
  'typed-data',
  'hyperliquid-l1',
] as const;

/** See {@link PAYLOAD_RULES}. */
export type PayloadRuleName = (typeof PAYLOAD_RULES)[number];

/** RFC 8785 canonical JSON over all of `data`, or over one field of it. A text in that field is signed verbatim. */
export interface JcsRule {
  readonly rule: 'jcs';
  /** Top-level field of `data` to sign; absent: the whole object. */
  readonly field?: string;
}

/** Compact JSON in the order sent, over all of `data`, or over one field of it. A text in that field is signed verbatim. */
export interface JsonRule {
  readonly rule: 'json';
  /** Top-level field of `data` to sign; absent: the whole object. */
  readonly field?: string;
}

/** Exactly the given bytes: `data` is `{"text": …}`, `{"hex": …}` or `{"base64": …}`. */
export interface RawRule {
  readonly rule: 'raw';
}

/** How `k=v&k=v` is written. */
export interface QueryStyle {
  /** By the UTF-16 code units of the names; default: in the order sent. */
  readonly sort?: boolean;
  /** `percent`: RFC 3986 (default); `none`: as they are, where the platform signs the text before it is encoded. */
  readonly encode?: 'percent' | 'none';
}

/** How a text becomes the one member of an EIP-712 message. */
export interface TypedDataWrap {
  readonly domain: JsonObject;
  /** Name of the message's type. */
  readonly primaryType: string;
  /** Name of its one member, a string. */
  readonly member: string;
}

/** Forms of `data.timestamp` in a text: ISO 8601 UTC with milliseconds, milliseconds or seconds since 1970-01-01T00:00:00Z. */
export const TIMESTAMP_FORMS = ['iso', 'ms', 's'] as const;

/** `k=v&k=v` over the members of one object field. */
export interface QueryRule extends QueryStyle {
  readonly rule: 'query';
  /** Top-level field of `data` that holds the parameters. */
  readonly field: string;
  /** Template of what stands before the parameters; default: nothing. */
  readonly prefix?: string;
  /** Template of what stands after them; default: nothing. */
  readonly suffix?: string;
  /** Form of `{timestamp}` in prefix and suffix; absent: the text as sent. */
  readonly timestamp?: (typeof TIMESTAMP_FORMS)[number];
  /** The text is signed as typed data; absent: as it is. Algorithm eip712 only. */
  readonly typedData?: TypedDataWrap;
}

/** Forms of a body that is given as an object. */
export const BODY_FORMS = ['json', 'form', 'form-sorted'] as const;

/** What stands for a body in the text: itself, or the lower-case hex digits of its hash. */
export const BODY_HASHES = ['none', 'sha256', 'sha512'] as const;

/** A template over the request's own parts, as OKX and its relatives sign. */
export interface PrehashRule {
  readonly rule: 'prehash';
  /** Text with placeholders such as `{timestamp}` and `{body}`; see docs/PAYLOAD_RULES.md. */
  readonly template: string;
  /** Stands between two placeholders that stand side by side; default: nothing. */
  readonly separator?: string;
  /** Form of `{timestamp}`; absent: the text as sent. */
  readonly timestamp?: (typeof TIMESTAMP_FORMS)[number];
  /** How a `data.query` object is written; default: percent-encoded in the order sent. */
  readonly query?: QueryStyle;
  /** How a `data.body` object is written; default: json, compact and in the order sent. */
  readonly body?: (typeof BODY_FORMS)[number];
  /** Default: none. */
  readonly bodyHash?: (typeof BODY_HASHES)[number];
  /** Values for accounts that have none of their own. */
  readonly values?: FixedValues;
}

/** Kraken's: path ‖ SHA-256(nonce ‖ body). */
export interface KrakenRule {
  readonly rule: 'kraken';
}

/** Backpack's: `instruction=…&` sorted parameters `&timestamp=…&window=…`. */
export interface BackpackRule {
  readonly rule: 'backpack';
}

/** EIP-712 typed data that the caller sends whole. Algorithm eip712 only. */
export interface TypedDataRule {
  readonly rule: 'typed-data';
  /** Members that the domain must have, with these values: chainId in any form, addresses and salt in any case; absent: any domain. */
  readonly domain?: JsonObject;
}

/** Hyperliquid's phantom agent over an action. Algorithm hyperliquid-l1 only. */
export interface HyperliquidL1Rule {
  readonly rule: 'hyperliquid-l1';
  readonly network: 'mainnet' | 'testnet';
}

/** A platform's payload rule with its options. */
export type PayloadRule =
  | JcsRule
  | JsonRule
  | RawRule
  | QueryRule
  | PrehashRule
  | KrakenRule
  | BackpackRule
  | TypedDataRule
  | HyperliquidL1Rule;
