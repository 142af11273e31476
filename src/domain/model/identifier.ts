/**
 * Closed pattern of platform and account ids: 1 to 128 of letters, digits and `. _ : @ + -`, a letter or digit first. An id that
 * fits can stand in an audit line, a URL segment and a log without escaping, and is no path (`..`, `/`).
 */
export const IDENTIFIER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/;

/** Closed pattern of a caller's `requestId`: 1 to 128 visible ASCII characters. */
export const REQUEST_ID_PATTERN = /^[\x21-\x7e]{1,128}$/;

/** Closed pattern of `environment`. */
export const ENVIRONMENT_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;
