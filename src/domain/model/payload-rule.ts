import type { JsonObject } from './json.ts';

/** Payload rules: how the bytes to sign are made from `data`. */
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
  'concat-sorted',
  'kraken-futures',
  'starknet-typed-data',
  'hyperliquid-multi-sig',
  'cosmos-sign-doc',
  'jwt',
] as const;

/** See {@link PAYLOAD_RULES}. */
export type PayloadRuleName = (typeof PAYLOAD_RULES)[number];

/** RFC 8785 canonical JSON of `data` or one field of it; a string field is signed verbatim. */
export interface JcsRule {
  readonly rule: 'jcs';
  /** Top-level field of `data` to sign; absent: all of it. */
  readonly field?: string;
}

/**
 * Compact JSON in the order sent, of `data` or one field of it; a string field is signed verbatim.
 */
export interface JsonRule {
  readonly rule: 'json';
  readonly field?: string;
  /** Signs the text's base64 (RFC 4648 §4, padded of its UTF-8); absent: the text itself. */
  readonly encode?: 'base64';
}

/** The bytes of `{"text": …}`, `{"hex": …}` or `{"base64": …}`. */
export interface RawRule {
  readonly rule: 'raw';
}

/** Whether requests must have a parameter, or must not have it. */
export const PARAMETER_PRESENCES = ['required', 'excluded'] as const;

/** How `k=v&k=v` is written. */
export interface QueryStyle {
  /** By the UTF-16 code units of the names; default: in the order sent. */
  readonly sort?: boolean;
  /** `percent`: RFC 3986 (default); `none`: for platforms that sign before encoding. */
  readonly encode?: 'percent' | 'none';
  /** By name, so that no text of the rule is one of another rule of the same key; absent: any. */
  readonly parameters?: { readonly [name: string]: (typeof PARAMETER_PRESENCES)[number] };
}

/** Wraps a text as the one member of an EIP-712 message. */
export interface TypedDataWrapper {
  readonly domain: JsonObject;
  readonly primaryType: string;
  /** A string. */
  readonly member: string;
}

/**
 * Forms of `data.timestamp`: ISO 8601 UTC with milliseconds, milliseconds or seconds since
 * 1970-01-01T00:00:00Z.
 */
export const TIMESTAMP_FORMS = ['iso', 'ms', 's'] as const;

/** `k=v&k=v` over the members of one object field. */
export interface QueryRule extends QueryStyle {
  readonly rule: 'query';
  /** Top-level field of `data` with the parameters. */
  readonly field: string;
  /** Template; default: empty. */
  readonly prefix?: string;
  /** Template; default: empty. */
  readonly suffix?: string;
  /** Form of `{timestamp}` in prefix and suffix; absent: as sent. */
  readonly timestamp?: (typeof TIMESTAMP_FORMS)[number];
  /** Signs the text as typed data. Algorithm eip712 only. */
  readonly typedData?: TypedDataWrapper;
}

/** What a body is, and how an object is rendered; `json-or-form`: an object as JSON. */
export const BODY_FORMS = ['json', 'json-or-form', 'form', 'form-sorted', 'form-sorted-unencoded'] as const;

/** The body itself, or its hash in lowercase hex. */
export const BODY_HASHES = ['none', 'sha256', 'sha512'] as const;

/** How requests carry an account's passphrase. */
export const PASSPHRASE_FORMS = ['mac'] as const;

/** Fixed value of the passphrase. */
export const PASSPHRASE_VALUE = 'passphrase';

/** Whether a signed path may have a query. */
export const PATH_QUERIES = ['none'] as const;

/** Requirements on `data.path`, for venues that sign less or more than the path of the URL. */
export interface PathForm {
  /** Text that it starts with; default: `/`. */
  readonly start?: string;
  /** `none`: it has no query, for venues that do not sign it; absent: as the template allows. */
  readonly query?: (typeof PATH_QUERIES)[number];
}

/** A template over parts of the request, as OKX and similar platforms sign. */
export interface PrehashRule {
  readonly rule: 'prehash';
  /** Placeholders such as `{timestamp}` and `{body}`: see docs/callers/payload-rules.md. */
  readonly template: string;
  /** Between adjacent placeholders; default: empty. */
  readonly separator?: string;
  /** Form of `{timestamp}`; absent: as sent. */
  readonly timestamp?: (typeof TIMESTAMP_FORMS)[number];
  /** Requirements on `data.path`; absent: none. */
  readonly path?: PathForm;
  /** Style of a `data.query` object; default: percent-encoded in the order sent. */
  readonly query?: QueryStyle;
  /** Form of `data.body`; default: json, an object compact and in the order sent. */
  readonly body?: (typeof BODY_FORMS)[number];
  /** Default: none. */
  readonly bodyHash?: (typeof BODY_HASHES)[number];
  /** For accounts without values of their own. */
  readonly values?: FixedValues;
  /**
   * `mac`: requests carry the MAC of the account's passphrase, its fixed value `passphrase`, which
   * `account add` computes. Returned to callers that have it, not signed. Absent: none.
   */
  readonly passphrase?: (typeof PASSPHRASE_FORMS)[number];
}

/** Kraken: path ‖ SHA-256(nonce ‖ body). */
export interface KrakenRule {
  readonly rule: 'kraken';
}

/** Backpack: `instruction=…&` sorted parameters `&timestamp=…&window=…`. */
export interface BackpackRule {
  readonly rule: 'backpack';
}

/** EIP-712 typed data. Algorithm eip712 only. */
export interface TypedDataRule {
  readonly rule: 'typed-data';
  /**
   * Required domain members: chainId in any form, addresses and salt in any case; absent: any
   * domain.
   */
  readonly domain?: JsonObject;
}

/** Hyperliquid's phantom agent over an action. Algorithm hyperliquid-l1 only. */
export interface HyperliquidL1Rule {
  readonly rule: 'hyperliquid-l1';
  readonly network: 'mainnet' | 'testnet';
}

/** Crypto.com Exchange: method, id, API key, sorted names and values, nonce, without delimiters. */
export interface ConcatSortedRule {
  readonly rule: 'concat-sorted';
}

/** Kraken Derivatives: SHA-256(post data ‖ nonce ‖ path). */
export interface KrakenFuturesRule {
  readonly rule: 'kraken-futures';
}

/** SNIP-12 typed data of the account's address. Algorithm starknet only. */
export interface StarknetTypedDataRule {
  readonly rule: 'starknet-typed-data';
  /** Required domain members, in any spelling of their numbers; absent: any domain. */
  readonly domain?: JsonObject;
}

/**
 * The envelope with which Hyperliquid's outer signer sends a multi-sig action. Algorithm eip712
 * only.
 */
export interface HyperliquidMultiSigRule {
  readonly rule: 'hyperliquid-multi-sig';
  readonly network: 'mainnet' | 'testnet';
}

/** A Cosmos transaction for SIGN_MODE_DIRECT. Algorithm cosmos only. */
export interface CosmosSignDocRule {
  readonly rule: 'cosmos-sign-doc';
  /** The only chains whose transactions are signed; absent: any chain. */
  readonly chainId?: string | string[];
}

/** Forms of times in a token: seconds (RFC 7519 §2, NumericDate) or milliseconds since 1970. */
export const TOKEN_TIME_FORMS = ['s', 'ms'] as const;

/** Longest lifetime of a token, seconds. */
export const MAX_TOKEN_LIFETIME = 120;

/** A time claim, a number: the time of `data.timestamp`. */
export interface TokenTime {
  readonly time: (typeof TOKEN_TIME_FORMS)[number];
  /** Seconds to add, 1 to {@link MAX_TOKEN_LIFETIME}; absent: none. */
  readonly expiresIn?: number;
}

/** Members of a token's header, in order: a template, or a list of templates. */
export interface TokenHeader {
  readonly [name: string]: string | readonly string[];
}

/** Claims of a token, in order. */
export interface TokenClaims {
  readonly [name: string]: string | readonly string[] | TokenTime;
}

/** A JSON Web Token (RFC 7519), signed as compact serialization (RFC 7515 §7.1). */
export interface JwtRule {
  readonly rule: 'jwt';
  /** Beside `alg` and `typ`; absent: none. */
  readonly header?: TokenHeader;
  /** Templates with `{METHOD}`, `{method}`, `{path}`, `{data.NAME}` and `{account.NAME}`; times. */
  readonly claims: TokenClaims;
  /**
   * Adds the claims `query_hash` and `query_hash_alg`: SHA-512 of `data.params` as a query string,
   * in the order sent; absent: none.
   */
  readonly queryHash?: Pick<QueryStyle, 'encode'>;
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
  | HyperliquidL1Rule
  | ConcatSortedRule
  | KrakenFuturesRule
  | StarknetTypedDataRule
  | HyperliquidMultiSigRule
  | CosmosSignDocRule
  | JwtRule;

/**
 * Configured, non-secret values that templates take as `{account.NAME}`, such as an API key or a
 * receive window.
 */
export type FixedValues = { readonly [name: string]: string };

/** Name of a fixed value. */
export const FIXED_VALUE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** A fixed value: 1 to 256 visible ASCII characters. */
export const FIXED_VALUE_PATTERN = /^[\x21-\x7e]{1,256}$/;
