import type { AuditRecord } from '../../../domain/model/audit-entry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/model/json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { formatReloadChanges, formatReloadIssues, quoteIfNeeded } from '../../status-view/reload-changes.ts';
import { type Style, styled, type TerminalStyle } from '../terminal/style.ts';
import { displayWidth, truncateEnd } from '../terminal/width.ts';

/** Deeper values are elided. */
const MAX_DEPTH = 8;

/**
 * Formats a record's `data`: `symbol=BTCUSDT order.side=buy price=[masked]`; of a segment, its
 * reason; of a reload, what changed or why it failed.
 */
export function formatFacts({ event, data }: AuditRecord): string {
  if (data === null) return '';
  const { reason, auditPublicKey, trigger } = data;
  if (event === 'segment' && typeof reason === 'string') {
    return `new file: ${reason}${typeof auditPublicKey === 'string' ? `, public key ${auditPublicKey}` : ''}`;
  }
  if (event === 'reload' && typeof trigger === 'string') {
    const result = formatReloadChanges(data) ?? formatReloadIssues(data);
    if (result !== null) return `${quoteIfNeeded(trigger)}: ${result}`;
  }
  return formatPairs(data, '', 0).join(' ');
}

function formatPairs(object: JsonObject, prefix: string, depth: number): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = `${prefix}${quoteIfNeeded(name)}`;
    return isJsonObject(value) && depth < MAX_DEPTH && Object.keys(value).length > 0
      ? formatPairs(value, `${path}.`, depth + 1)
      : [`${path}=${formatValue(value, depth)}`];
  });
}

function formatValue(value: JsonValue, depth: number): string {
  if (typeof value === 'string') return value === '[masked]' ? value : quoteIfNeeded(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= MAX_DEPTH) return '…';
  if (!isJsonObject(value)) return `[${value.map((item) => formatValue(item, depth + 1)).join(',')}]`;
  return `{${formatPairs(value, '', depth + 1).join(' ')}}`;
}

/** Styled text. */
interface Part {
  readonly text: string;
  readonly style?: Style;
}

const OUTCOME_STYLES: { readonly [outcome in AuditRecord['outcome']]: Style } = {
  success: 'green',
  refused: 'yellow',
  failed: 'red',
};
/** Events whose account is shown even if the request named none. */
const ACCOUNT_EVENTS: readonly AuditRecord['event'][] = ['sign', 'dry-run', 'verify'];

const OUTCOME_WIDTH = 'success'.length;
const EVENT_WIDTH = 'segment'.length;
/** `2026-11-20`. */
const DATE_LENGTH = 10;
/** `sha256:` and enough digits to distinguish digests. */
const SHORT_DIGEST = 'sha256:'.length + 8;
const GAP = '  ';
const ELLIPSIS = '…';

/** A record on one line without a newline; the time is UTC, its date optional. */
export function formatRecord(record: AuditRecord, withDate: boolean, terminal: TerminalStyle): string {
  const time = withDate ? record.time : record.time.slice(DATE_LENGTH + 1, -1);
  return formatLine([{ text: time, style: 'dim' }, ...toHeadParts(record), ...toBodyParts(record)], terminal);
}

/** Heading of a day. */
export function formatDay(time: string, terminal: TerminalStyle): string {
  return formatLine([{ text: `${time.slice(0, DATE_LENGTH)} UTC`, style: 'bold' }], terminal);
}

/** A warning, never truncated. */
export function formatWarning(text: string, { colour }: TerminalStyle): string {
  return formatLine([{ text: `! ${text}`, style: 'red' }], { colour, columns: null });
}

function toHeadParts({ seq, event, outcome }: AuditRecord): readonly Part[] {
  return [
    { text: `#${seq}`, style: 'dim' },
    { text: outcome.padEnd(OUTCOME_WIDTH), style: OUTCOME_STYLES[outcome] },
    event === 'sign' ? { text: event } : { text: event.padEnd(EVENT_WIDTH), style: 'cyan' },
  ];
}

function toBodyParts(record: AuditRecord): readonly Part[] {
  const { event, outcome, platformId, accountId, algorithm, errorCode, durationMs, remoteAddress, principal } = record;
  const hasAccount = ACCOUNT_EVENTS.includes(event) || accountId !== null;
  const account = hasAccount ? `${platformId ?? '-'}/${accountId ?? '-'}` : null;
  return [
    toParts(account, 'bold'),
    toParts(algorithm),
    toParts(record.keyId === null ? null : `key ${record.keyId}`, 'dim'),
    toParts(errorCode, OUTCOME_STYLES[outcome]),
    toParts(record.policy === null ? null : `policy ${record.policy}`),
    toParts(durationMs === null ? null : `${Number(durationMs.toPrecision(3))}ms`),
    toParts(remoteAddress),
    // Quoted: a name with spaces could forge columns.
    toParts(principal === null ? null : `by ${quoteIfNeeded(principal)}`),
    toParts(record.payloadDigest?.slice(0, SHORT_DIGEST), 'dim'),
    toParts(formatFacts(record), event === 'sign' ? 'dim' : undefined),
  ].flat();
}

function toParts(text: string | null | undefined, style?: Style): readonly Part[] {
  if (text === null || text === undefined || text === '') return [];
  return [style === undefined ? { text } : { text, style }];
}

/** Truncates before styling, to keep escape sequences whole. */
function formatLine(parts: readonly Part[], { colour, columns }: TerminalStyle): string {
  let left = columns ?? Number.POSITIVE_INFINITY;
  let text = '';
  for (const [index, { text: raw, style }] of parts.entries()) {
    const gap = index === 0 ? '' : GAP;
    const whole = printable(raw);
    const isLast = index === parts.length - 1;
    const shown = truncate(whole, left - gap.length, isLast);
    text += gap + (style === undefined ? shown : styled({ colour }, style, shown));
    if (shown !== whole) break;
    left -= gap.length + displayWidth(whole);
  }
  return text;
}

/** Truncates a text with an ellipsis, for which it reserves space if more text follows. */
function truncate(text: string, columns: number, isLast: boolean): string {
  const room = isLast ? columns : columns - GAP.length - ELLIPSIS.length;
  return displayWidth(text) <= room ? text : truncateEnd(`${text}${GAP}${ELLIPSIS}`, columns);
}
