import { REFUSAL_NAMES, REFUSALS } from '../../src/adapters/http/refusals.ts';
import type { RefusalRow } from '../../src/domain/model/refusal.ts';
import { COMPONENT_SCHEMAS, type Schema } from '../pages/api-schemas.ts';

const ROWS: readonly RefusalRow[] = Object.values(REFUSALS);

/** The error codes of docs/callers/errors.md. */
export function errorTable(): string {
  const rows = REFUSAL_NAMES.map((name) => {
    const { code, status, when } = REFUSALS[name];
    const details = COMPONENT_SCHEMAS[name]?.properties?.['details'] as Schema;
    const members = Object.entries(details.properties as { readonly [name: string]: Schema }).map(formatMember);
    return `| \`${code}\` | ${status} | ${when.replace(/\.$/, '')} | ${members.join(', ')} |`;
  });
  return ['## Codes', '', '| Code | Status | When | `details` |', '|---|---|---|---|', ...rows].join('\n');
}

/** A member of `details`, with what tells refusals with the same code apart. */
function formatMember([name, { const: value, enum: values = [] }]: readonly [string, Schema]): string {
  const reasons = [value ?? (name === 'reason' ? values : [])].flat();
  return `\`${name}\`${reasons.length > 0 ? ': ' : ''}${reasons.map((reason) => `\`${reason}\``).join(' or ')}`;
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
