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
