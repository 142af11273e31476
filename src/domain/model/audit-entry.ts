import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { escapeUnsafe } from './text/unsafe-characters.ts';

/** Recorded events; of `read` and `status`, which change nothing, only refusals. */
export const AUDIT_EVENTS = ['start', 'stop', 'sign', 'dry-run', 'verify', 'reload', 'read', 'status'] as const;

/** See {@link AUDIT_EVENTS}. */
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** `refused`: the request was at fault; `failed`: the service was. */
export const AUDIT_OUTCOMES = ['success', 'refused', 'failed'] as const;

/** See {@link AUDIT_OUTCOMES}. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Events of records: the service's own, and `segment` for the first record of each file. */
export const RECORD_EVENTS = [...AUDIT_EVENTS, 'segment'] as const;

/** Version of the record format. */
export const FORMAT_VERSION = 2;

/** Replaces a value that does not match the pattern of its field. */
const INVALID = '[invalid]';
const INVALID_PATTERN = '\\[invalid\\]';

/**
 * Patterns of texts that also stand elsewhere. As all patterns of the table: without anchors and
 * without ECMAScript-only syntax, since config/audit-record.schema.json publishes them.
 */
export const PATTERNS = {
  /** ISO 8601 UTC with milliseconds. */
  time: '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z',
  /** Platform, account or instance id; see `domain/model/account.ts`. */
  id: '[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}',
  /** SHA-256. */
  digest: 'sha256:[0-9a-f]{64}',
  /** Ed25519 signature, base64. */
  sig: '[A-Za-z0-9+/]{85}[AQgw]==',
} as const;

/** A pattern for whole values. */
export function anchored(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}

/** The values of a field, without null. */
interface FieldValues<Value> {
  /** JSON Schema (draft 2020-12); `type` is one name. */
  readonly schema: JsonObject & { readonly type: string };
  /** Whether the schema accepts a value. */
  accepts(value: JsonValue): boolean;
  /** JSON on one line. Never throws. */
  write(value: Value): string;
}

/** What a field is: its values, and what they mean. */
interface RecordField extends FieldValues<NonNullable<JsonValue>> {
  /** Markdown of docs/auditors/audit-format.md, without a full stop. */
  readonly meaning: string;
  /** Follows the word null, such as `on success`; absent if the field never is. */
  readonly nullWhen?: string;
}

/**
 * The fields of a record, in their order. Types, the writer, the reader,
 * config/audit-record.schema.json and docs/auditors/audit-format.md follow this table.
 */
export const RECORD_FIELDS = {
  v: { ...oneOf('integer', [FORMAT_VERSION]), meaning: `Version of this format: ${FORMAT_VERSION}` },
  seq: {
    ...positiveInteger(),
    meaning:
      'Number of the record in its chain: 1, 2, 3 …, without gaps, across files and restarts. It defines the order, regardless of the times',
  },
  time: { ...text(PATTERNS.time), meaning: "ISO 8601 UTC with milliseconds, by the machine's clock" },
  event: { ...oneOf('string', RECORD_EVENTS), meaning: '[What happened](#events)' },
  outcome: {
    ...oneOf('string', AUDIT_OUTCOMES),
    meaning: '`success`; `refused`: the request was at fault; `failed`: the service was',
  },
  errorCode: {
    ...checkedText('[A-Z][A-Z0-9_]{0,63}'),
    meaning: '[Error code](../callers/errors.md) that the caller received',
    nullWhen: 'on success',
  },
  platformId: {
    ...checkedText(PATTERNS.id),
    meaning: 'Platform, as requested; with `ACCOUNT_NOT_FOUND` no such account exists',
    nullWhen: 'if none was requested',
  },
  accountId: {
    ...checkedText(PATTERNS.id),
    meaning: 'Account, as requested; with `ACCOUNT_NOT_FOUND` no such account exists',
    nullWhen: 'if none was requested',
  },
  algorithm: {
    ...checkedText('[a-z0-9][a-z0-9-]{0,31}'),
    meaning: '`sign`, `dry-run`, `verify`: algorithm of the account or of the named rule',
    nullWhen: 'for other events, and if the account does not exist',
  },
  keyId: {
    ...checkedText('[A-Za-z0-9][A-Za-z0-9:_-]{0,127}'),
    meaning: "`sign`, `dry-run`, `verify`: [short name](#key-ids) of the account's key",
    nullWhen: 'for other events, and if the account does not exist',
  },
  policy: {
    ...checkedText('[\\x21-\\x7e]{1,512}', JSON.stringify),
    meaning: '`sign`, `dry-run`: names of the [policies](../operators/policies.md) that decided, separated by commas',
    nullWhen: 'if none did',
  },
  payloadDigest: {
    ...checkedText(PATTERNS.digest),
    meaning:
      '`sign`, `dry-run`: SHA-256 of the bytes to sign (`eip191`: without the prefix; typed data: the 66 bytes that Keccak-256 hashes); `verify`: of the bytes that the signature covers',
    nullWhen: 'for other events, and if the request was refused before these bytes were made',
  },
  signatureDigest: {
    ...checkedText(PATTERNS.digest),
    meaning:
      'SHA-256 of the signature text, as returned or as submitted for verification: `printf %s "$signature" | sha256sum`',
    nullWhen: 'without a signature',
  },
  data: {
    ...object(),
    meaning: "`sign`, `dry-run`, `verify`: the request's data, [masked](#masking); other events: facts about the event",
    nullWhen: 'without either',
  },
  correlationId: {
    ...checkedText('[A-Za-z0-9][A-Za-z0-9._:@+/=-]{0,127}'),
    meaning: "Joins the records and log lines of one request: the caller's `X-Request-Id`, or a UUID",
    nullWhen: 'without a request',
  },
  traceparent: {
    ...checkedText('[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}'),
    meaning: "The caller's position in a trace ([W3C Trace Context](https://www.w3.org/TR/trace-context/))",
    nullWhen: 'if the caller sent none',
  },
  batchRequestId: {
    ...checkedText('[\\x21-\\x7e]{1,128}', JSON.stringify),
    meaning: "The caller's `requestId` within a batch",
    nullWhen: 'if the caller sent none',
  },
  principal: { ...shortenedText(1024), meaning: 'Authenticated caller', nullWhen: 'without authentication' },
  remoteAddress: {
    ...checkedText('[0-9A-Za-z.:%_-]{1,128}'),
    meaning: 'IP address of the caller',
    nullWhen: 'without a request',
  },
  durationMs: {
    ...number(),
    meaning: 'Milliseconds from the start of the attempt to the creation of the record',
    nullWhen: 'if nothing was attempted',
  },
  instanceId: { ...checkedText(PATTERNS.id), meaning: '`SIGNING_INSTANCE_ID` of the process that wrote the record' },
  prevHash: {
    ...text(PATTERNS.digest),
    meaning: 'SHA-256 of the previous line, byte for byte, without its newline, across files and restarts',
    nullWhen: 'in the first record of a chain',
  },
  sig: {
    ...text(PATTERNS.sig),
    meaning: 'Signature of the audit key, base64 of 64 bytes; only in the last record of a group',
  },
} as const satisfies { readonly [name: string]: RecordField };

type Fields = typeof RECORD_FIELDS;

type ValueOf<Field> =
  Field extends FieldValues<infer Value> ? Value | (Field extends { readonly nullWhen: string } ? null : never) : never;

/** A record of the audit file, see {@link RECORD_FIELDS}; only the last of a group has `sig`. */
export type AuditRecord = { readonly [Name in Exclude<keyof Fields, 'sig'>]: ValueOf<Fields[Name]> } & {
  readonly sig?: string;
};

/** A record that is not in a chain yet. */
export type RecordEntry = Omit<AuditRecord, 'v' | 'seq' | 'prevHash' | 'sig'>;

/** What the service records: every field present, null where it does not apply. */
export type AuditEntry = RecordEntry & { readonly event: AuditEvent };

/** A field with its name, whatever its values. */
export type NamedField = RecordField & { readonly name: keyof AuditRecord };

/** {@link RECORD_FIELDS} as a list. */
export const FIELD_LIST = Object.entries(RECORD_FIELDS).map(([name, field]) => ({ name, ...field })) as NamedField[];

/** The fields of a {@link RecordEntry}: those between `seq` and `prevHash`. */
export const ENTRY_FIELDS = FIELD_LIST.slice(2, -2) as (NamedField & { readonly name: keyof RecordEntry })[];

/** Fields of an entry without a request; those of a request override them. */
export const NO_REQUEST = Object.fromEntries(
  ENTRY_FIELDS.filter(({ nullWhen }) => nullWhen !== undefined).map(({ name }) => [name, null]),
) as { readonly [Name in keyof RecordEntry as null extends RecordEntry[Name] ? Name : never]: null };

function oneOf<Value extends string | number>(type: string, values: readonly Value[]): FieldValues<Value> {
  const json = new Map<JsonValue, string>(values.map((value) => [value, JSON.stringify(value)]));
  return {
    schema: { type, enum: values },
    accepts: (value) => json.has(value),
    write: (value) => json.get(value) ?? '',
  };
}

function number(): FieldValues<number> {
  return { schema: { type: 'number' }, accepts: (value) => typeof value === 'number', write: JSON.stringify };
}

function positiveInteger(): FieldValues<number> {
  return {
    ...number(),
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  };
}

/** Text that the service makes; the pattern has no character that JSON escapes. */
function text(pattern: string): FieldValues<string> {
  const whole = anchored(pattern);
  return {
    schema: { type: 'string', pattern: whole.source },
    accepts: (value) => typeof value === 'string' && whole.test(value),
    write: inQuotes,
  };
}

/**
 * Text from elsewhere; `[invalid]` replaces what does not match.
 * @param toJson JSON.stringify for a pattern with characters that JSON escapes
 */
function checkedText(pattern: string, toJson = inQuotes): FieldValues<string> {
  const whole = anchored(pattern);
  return {
    ...text(`${pattern}|${INVALID_PATTERN}`),
    write: (value) => (whole.test(value) ? toJson(value) : inQuotes(INVALID)),
  };
}

/** Faster than JSON.stringify. */
function inQuotes(value: string): string {
  return `"${value}"`;
}

/** Any text, cut after so many UTF-16 units; lone surrogates have no UTF-8 form. */
function shortenedText(maxLength: number): FieldValues<string> {
  return {
    schema: { type: 'string', maxLength },
    accepts: (value) => typeof value === 'string' && value.length <= maxLength,
    write: (value) => escapeUnsafe(JSON.stringify(value.slice(0, maxLength).replace(/\p{Surrogate}/gu, '\ufffd'))),
  };
}

/** A note replaces what JSON cannot hold. */
function object(): FieldValues<JsonObject> {
  return {
    schema: { type: 'object' },
    accepts: isJsonObject,
    write: (value) => {
      try {
        return escapeUnsafe(JSON.stringify(value));
      } catch {
        return '{"omitted":"cannot be serialized as JSON"}';
      }
    },
  };
}

/** The last record of a chain. */
export interface AuditHead {
  /** 0 before the first record. */
  readonly seq: number;
  /** `sha256:<64 hex>` of its line; null before the first record, and where a sink has none. */
  readonly hash: string | null;
}

/**
 * A signed head of a chain (docs/auditors/audit-format.md). Kept elsewhere, it proves that all
 * records up to it were written.
 */
export interface AuditCheckpoint {
  /** The process that wrote the record. */
  readonly instanceId: string;
  readonly seq: number;
  /** Time of the record, ISO 8601 UTC; covered by `hash`. */
  readonly time: string;
  /** `sha256:<64 hex>` of the record's line up to `,"sig":`. */
  readonly hash: string;
  /** Ed25519 signature of the audit key, base64 of 64 bytes. */
  readonly sig: string;
}

/** What a follower finds. */
export type FollowerEvent =
  /** A record; `line` is its line as in the file, without the newline. */
  | { readonly kind: 'record'; readonly record: AuditRecord; readonly line: string }
  /**
   * An invalid line, missing records or a change of the file: one sentence, which may hold
   * characters of the file's path.
   */
  | { readonly kind: 'notice'; readonly text: string };

/** Where to follow from. */
export interface FollowRequest {
  /** Path of an audit file, whose segments are read, or of one segment or copy. */
  readonly file: string;
  /**
   * Starts with the last N lines (records, with a filter), or with the first record at or after a
   * time (ISO 8601 UTC with milliseconds), older segments included. Later records follow even if
   * the clock was set back.
   */
  readonly from: { readonly lines: number } | { readonly since: string };
  /** Selects records; null: all. */
  readonly isWanted: ((record: AuditRecord) => boolean) | null;
  /** Whether to wait for new records, or to end after the existing ones. */
  readonly follow: boolean;
  /** Ends it within a second without an error; an AbortSignal fits. */
  readonly signal: { readonly aborted: boolean };
}
