/*
 * Closed patterns of a record's fields, as sources of regular expressions without anchors. They are published in config/audit-record.schema.json, for
 * validators in any language, so they use nothing that ECMAScript has alone.
 */

/** ISO 8601 UTC with milliseconds. */
export const TIME =
  '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z';
/** A stable error code. */
export const ERROR_CODE = '[A-Z][A-Z0-9_]{0,63}';
/** Id of a platform, an account or an instance; see `domain/model/identifier.ts`. */
export const IDENTIFIER = '[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}';
/** Name of a signing algorithm. */
export const ALGORITHM = '[a-z0-9][a-z0-9-]{0,31}';
/** SHA-256. */
export const DIGEST = 'sha256:[0-9a-f]{64}';
/** Ties a call's records and log lines together. */
export const CORRELATION_ID = '[A-Za-z0-9][A-Za-z0-9._:@+/=-]{0,127}';
/** A caller's place in a trace: W3C Trace Context §3.2, the fields of version 00. */
export const TRACEPARENT = '[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}';
/** A caller's own id within a batch: visible ASCII. */
export const BATCH_REQUEST_ID = '[\\x21-\\x7e]{1,128}';
/** An IP address in text form. */
export const REMOTE_ADDRESS = '[0-9A-Za-z.:%_-]{1,128}';

/** Longest `principal`, characters. */
export const MAX_PRINCIPAL_LENGTH = 1024;

/** Stands in a field whose value does not fit its pattern: what does not fit could be anything. */
export const UNFIT = '[unfit]';
