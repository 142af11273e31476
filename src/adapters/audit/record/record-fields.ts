import { AUDIT_OUTCOMES, type AuditRecord, RECORD_EVENTS } from '../../../domain/model/audit-entry.ts';
import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { isJsonObject } from '../../../domain/model/text/json-path.ts';
import { escapeUnsafe } from '../../../domain/model/text/unsafe-characters.ts';

/** Version of the record format. */
export const FORMAT_VERSION: AuditRecord['v'] = 2;

/** Longest line with its newline, bytes. */
export const MAX_LINE_BYTES = 65_536;

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
type RecordField<Value> = FieldValues<NonNullable<Value>> & {
  /** Markdown of docs/auditors/audit-format.md, without a full stop. */
  readonly meaning: string;
  /** Follows the word null, such as `on success`; absent if the field never is. */
  readonly nullWhen?: string;
} & (null extends Value ? { readonly nullWhen: string } : unknown);

/**
 * The fields of a record, in their order. The writer, the reader, config/audit-record.schema.json
 * and docs/auditors/audit-format.md follow this table.
 */
export const RECORD_FIELDS: { readonly [Name in keyof AuditRecord]-?: RecordField<AuditRecord[Name]> } = {
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
};

/** A field with its name, whatever its values. */
export type NamedField = RecordField<NonNullable<JsonValue>> & { readonly name: keyof AuditRecord };

/** {@link RECORD_FIELDS} as a list. */
export const FIELD_LIST = Object.entries(RECORD_FIELDS).map(([name, field]) => ({ name, ...field })) as NamedField[];

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
