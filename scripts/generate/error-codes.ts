import { z } from 'zod';
import { REFUSAL_NAMES, REFUSALS } from '../../src/adapters/http/refusals.ts';
import { REFUSAL_SCHEMAS } from '../../src/adapters/http/schemas/refusal-responses.ts';
import type { RefusalRow } from '../../src/domain/model/refusal.ts';

const ROWS: readonly RefusalRow[] = Object.values(REFUSALS);

/** The error codes of docs/callers/errors.md. */
export function errorTable(): string {
  const rows = REFUSAL_NAMES.map((name) => {
    const { code, status, when } = REFUSALS[name];
    const { shape } = REFUSAL_SCHEMAS[name].shape.details;
    const members = Object.entries(shape).map(([name, type]) => `\`${name}\`${listReasons(name, type)}`);
    return `| \`${code}\` | ${status} | ${when.replace(/\.$/, '')} | ${members.join(', ')} |`;
  });
  return ['## Codes', '', '| Code | Status | When | `details` |', '|---|---|---|---|', ...rows].join('\n');
}

/** What tells refusals with the same code apart. */
function listReasons(name: string, type: unknown): string {
  if (type instanceof z.ZodLiteral) return `: \`${type.value}\``;
  return name === 'reason' && type instanceof z.ZodEnum
    ? `: ${type.options.map((reason) => `\`${reason}\``).join(' or ')}`
    : '';
}

/** The clients that retry, by source file. */
export const RETRYING_CLIENTS = [
  'src/client/retry-policy.ts',
  'clients/go/calls.go',
  'clients/python/src/signing_client/_calls.py',
];

/** A client's source with the current codes in its list `RETRYABLE_CODES` or `retryableCodes`. */
export function withRetryableCodes(source: string): string {
  return withCodes(
    source,
    /(?<=retryable_?codes\b.*[[({])(["'])[^\])}]*/i,
    ROWS.filter(({ isRetryable }) => isRetryable),
  );
}

/** The source with all codes in its list `ERROR_CODES`. */
export function withErrorCodes(source: string): string {
  return withCodes(source, /(?<=^export const ERROR_CODES = \[\n {2})(')[^\]]*?(?=,\n\] as const;)/m, ROWS, ',\n  ');
}

function withCodes(source: string, list: RegExp, rows: readonly RefusalRow[], separator = ', '): string {
  if (!list.test(source)) throw new Error('The source has no list of error codes.');
  const codes = [...new Set(rows.map(({ code }) => code))];
  return source.replace(list, (_, quote) => codes.map((code) => `${quote}${code}${quote}`).join(separator));
}
