import type { JsonObject } from './json.ts';

/**
 * A payload rule with its options: how the bytes to sign are made from `data`. Their meaning is in
 * `domain/payload`.
 */
export interface PayloadRule {
  readonly rule: string;
  readonly [option: string]: unknown;
}

/**
 * Configured, non-secret values that templates take as `{account.NAME}`, such as an API key or a
 * receive window.
 */
export type FixedValues = { readonly [name: string]: string };

/** Fixed value of the passphrase. */
export const PASSPHRASE_VALUE = 'passphrase';

/** Name of a fixed value. */
export const FIXED_VALUE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** A fixed value: 1 to 256 visible ASCII characters. */
export const FIXED_VALUE_PATTERN = /^[\x21-\x7e]{1,256}$/;

/** How a payload's text represents its bytes. */
export type PayloadEncoding = 'utf8' | 'hex' | 'base64';

/**
 * The texts that a rule signed, each exactly as signed (a body before it is hashed), by name; the
 * caller must send them verbatim. None of a rule that signs one structure.
 */
export interface PayloadParts {
  readonly timestamp?: string;
  /** In upper or lower case, as the rule's template writes it. */
  readonly method?: string;
  readonly path?: string;
  /** Without a leading `?`; of rule `query` the parameters, without prefix and suffix. */
  readonly query?: string;
  readonly body?: string;
  /** Other members of `data` that are texts of their own, such as a nonce. */
  readonly data?: { readonly [name: string]: string };
  /** Fixed values of the account or the rule; `passphrase` is returned but not signed. */
  readonly values?: FixedValues;
}

/** The exact bytes to sign. */
export interface Payload {
  readonly bytes: Uint8Array;
  /** UTF-8 text, or hex or base64 of binary bytes. */
  readonly text: string;
  readonly encoding: PayloadEncoding;
  readonly parts: PayloadParts;
  /** For policies; absent where they read the payload's text or its parts. */
  readonly content?: PayloadContent;
}

/** What the bytes were made of, where they don't show it themselves. */
export type PayloadContent =
  | { readonly kind: 'typed-data'; readonly fields: SignedContent }
  | { readonly kind: 'hyperliquid'; readonly request: HyperliquidRequest }
  | { readonly kind: 'cosmos'; readonly signDoc: CosmosSignDoc };

/** A cosmos.tx.v1beta1.SignDoc. */
export interface CosmosSignDoc {
  /** The canonical bytes of a cosmos.tx.v1beta1.TxBody. */
  readonly bodyBytes: Uint8Array;
  /** The canonical bytes of a cosmos.tx.v1beta1.AuthInfo. */
  readonly authInfoBytes: Uint8Array;
  readonly chainId: string;
  /** 0 to 2^64 - 1. */
  readonly accountNumber: bigint;
}

/** An action of Hyperliquid with the values hashed with it. */
export interface HyperliquidRequest {
  /** The action that the venue executes: of a multi-sig envelope the one in its payload. */
  readonly action: JsonObject;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly nonce: number;
  /** Vault or sub-account, 20 bytes; null: the account itself. */
  readonly vaultAddress: Uint8Array | null;
  /** Milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly expiresAfter: number | null;
  /** Null: the signer's own action. */
  readonly multiSig: HyperliquidMultiSig | null;
}

/** Whose action several users sign, and who sends it; addresses in lowercase hex with `0x`. */
export interface HyperliquidMultiSig {
  readonly multiSigUser: string;
  readonly outerSigner: string;
}

/** Member of a struct type: `{ name: 'to', type: 'address' }`. */
export interface TypedDataField {
  readonly name: string;
  readonly type: string;
  /** Type of the leaves of a `merkletree` of SNIP-12. */
  readonly contains?: string;
}

/** Struct types by name. */
export type TypedDataTypes = { readonly [name: string]: readonly TypedDataField[] };

/** EIP-712 or SNIP-12 typed data in the JSON form of `eth_signTypedData_v4`. */
export interface TypedData {
  readonly domain: JsonObject;
  /** In EIP-712 without `EIP712Domain`, which follows from the domain. */
  readonly types: TypedDataTypes;
  readonly primaryType: string;
  readonly message: JsonObject;
}

/**
 * A decimal as written, exact: policies compare it without rounding. The text is a JSON number (RFC
 * 8259 §6) of any length.
 */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A value that policies read. Whole numbers within 64 bits are BigInt, all other numbers Decimal;
 * no value is a floating-point number.
 */
export type SignedValue =
  | null
  | boolean
  | string
  | bigint
  | Decimal
  | readonly SignedValue[]
  | ReadonlyMap<string, SignedValue>;

/** Type of a signed field, in CEL's notation; `dyn` is any value of {@link SignedValue}. */
export type SignedType = 'string' | 'int' | 'dyn' | 'map<string, dyn>' | 'map<string, string>' | 'list<dyn>';

/** The fields that a rule's signature covers, by name. */
export type SignedFields = { readonly [field: string]: SignedType };

/** The signed fields of one request; what cannot be decoded is absent. */
export type SignedContent = { readonly [field: string]: SignedValue };
