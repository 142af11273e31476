/**
 * Values that a platform's payload rule takes from the configuration and not from a request, such as an API key or a receive window:
 * `{account.NAME}` in a template. They are no secrets.
 */
export type FixedValues = { readonly [name: string]: string };

/** Name of a fixed value. */
export const FIXED_VALUE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** A fixed value: 1 to 256 visible ASCII characters, no blank. */
export const FIXED_VALUE_PATTERN = /^[\x21-\x7e]{1,256}$/;
