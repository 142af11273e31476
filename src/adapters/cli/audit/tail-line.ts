import type { AuditRecord } from '../../../domain/model/audit-entry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/model/json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { formatReloadChanges, formatReloadIssues, quoteIfNeeded } from '../../status-view/reload-changes.ts';
import { type Style, styled, type TerminalStyle } from '../terminal/style.ts';
import { truncateEnd } from '../terminal/width.ts';

/** Deeper values are elided. */
const MAX_DEPTH = 8;

/**
 * Formats a record's `data`: `symbol=BTCUSDT order.side=buy price=[masked]`; of a segment, its
 * reason; of a reload, what changed or why it failed.
 */
function formatFacts({ event, data }: AuditRecord): string {
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

/** A text, and how it looks; none without a text. */
type Part = readonly [text: string | null | undefined, style?: Style];

const OUTCOME_STYLES: { readonly [outcome in AuditRecord['outcome']]: Style } = {
  success: 'green',
  refused: 'yellow',
  failed: 'red',
};
/** Events whose account is shown even if the request named none. */
const ACCOUNT_EVENTS: readonly AuditRecord['event'][] = ['sign', 'dry-run', 'verify'];

/** `2026-11-20`. */
const DATE_LENGTH = 10;
/** `sha256:` and enough digits to distinguish digests. */
const SHORT_DIGEST = 'sha256:'.length + 8;
const GAP = '  ';

/** A record on one line without a newline; the time is UTC, its date optional. */
export function formatRecord(record: AuditRecord, withDate: boolean, terminal: TerminalStyle): string {
  const { event, outcome, platformId, accountId, keyId, policy, durationMs, principal } = record;
  const hasAccount = ACCOUNT_EVENTS.includes(event) || accountId !== null;
  return formatLine(
    [
      [withDate ? record.time : record.time.slice(DATE_LENGTH + 1, -1), 'dim'],
      [`#${record.seq}`, 'dim'],
      [outcome.padEnd('success'.length), OUTCOME_STYLES[outcome]],
      event === 'sign' ? [event] : [event.padEnd('segment'.length), 'cyan'],
      [hasAccount ? `${platformId ?? '-'}/${accountId ?? '-'}` : null, 'bold'],
      [record.algorithm],
      [keyId === null ? null : `key ${keyId}`, 'dim'],
      [record.errorCode, OUTCOME_STYLES[outcome]],
      [policy === null ? null : `policy ${policy}`],
      [durationMs === null ? null : `${Number(durationMs.toPrecision(3))}ms`],
      [record.remoteAddress],
      // Quoted: a name with spaces could forge columns.
      [principal === null ? null : `by ${quoteIfNeeded(principal)}`],
      [record.payloadDigest?.slice(0, SHORT_DIGEST), 'dim'],
      event === 'sign' ? [formatFacts(record), 'dim'] : [formatFacts(record)],
    ],
    terminal,
  );
}

/** Heading of a day. */
export function formatDay(time: string, terminal: TerminalStyle): string {
  return formatLine([[`${time.slice(0, DATE_LENGTH)} UTC`, 'bold']], terminal);
}

/** A warning, never truncated. */
export function formatWarning(text: string, { colour }: TerminalStyle): string {
  return formatLine([[`! ${text}`, 'red']], { colour, columns: null });
}

/** Truncates before styling, to keep escape sequences whole. */
function formatLine(parts: readonly Part[], { colour, columns }: TerminalStyle): string {
  const shown = parts.flatMap(([text, style]) => (text ? [{ text: printable(text), style }] : []));
  const whole = shown.map(({ text }) => text).join(GAP);
  const line = columns === null ? whole : truncateEnd(whole, columns);
  let start = 0;
  return shown
    .map(({ text, style }) => {
      const end = start + text.length;
      const [visible, gap] = [line.slice(start, end), line.slice(end, end + GAP.length)];
      start = end + GAP.length;
      return (style === undefined || visible === '' ? visible : styled({ colour }, style, visible)) + gap;
    })
    .join('');
}
