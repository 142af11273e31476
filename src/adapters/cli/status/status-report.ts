import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { formatBytes } from '../../../domain/model/text/byte-size.ts';
import { isJsonObject } from '../../../domain/model/text/json-path.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { recentRate } from '../../../domain/services/recent-activity.ts';
import { formatReloadChanges } from '../reload-changes.ts';
import { type Style, styled, type TerminalStyle } from '../terminal/style.ts';
import { formatCount } from '../terminal/table.ts';
import { wrapText } from '../terminal/width.ts';
import { formatActivityTables, formatTime } from './activity-tables.ts';
import { list, member, number, numbers, text } from './json-members.ts';
import { sparkline } from './sparkline.ts';
import type { StatusReading } from './status-source.ts';

/** How to show a status. */
export interface StatusView {
  readonly terminal: TerminalStyle;
  /** Whether the terminal shows ASCII only. */
  readonly ascii: boolean;
}

/** A line of the report: a label and what it names. */
type Row = readonly [label: string, value: string];

const LABEL_WIDTH = 'Configuration'.length + 2;
/** Columns beside a sparkline. */
const RATE_TEXT_WIDTH = 44;
const MIN_SAMPLES = 10;
/** Shorter spans are shown in seconds. */
const MIN_MINUTES_SPAN = 120;
const MAX_PLATFORMS = 8;
const MAX_NAMES = 5;
/** `sha256:` and enough digits to distinguish records. */
const SHORT_HASH = 'sha256:'.length + 12;
/** Days left at which an expiry is highlighted, for services that do not report it. */
const EXPIRES_SOON_DAYS = 14;

/** A reading as a page of text, which ends with a newline. */
export function formatReading(reading: StatusReading, view: StatusView): string {
  const { terminal } = view;
  const rows: readonly Row[] = [
    ['Service', formatService(reading)],
    ['Readiness', formatReadiness(reading, terminal)],
    ...formatFailedChecks(reading),
    ...(reading.status === null ? [] : formatStatus(reading.status, view)),
  ];
  const page = rows.map(([label, value]) => formatRow(label, value, terminal)).join('');
  return reading.status === null ? page : page + formatActivityTables(member(reading.status, 'activity'), terminal);
}

function formatRow(label: string, value: string, terminal: TerminalStyle): string {
  const line = `${styled(terminal, 'bold', label.padEnd(LABEL_WIDTH))}${value}\n`;
  return terminal.columns === null ? line : wrapText(line, terminal.columns, LABEL_WIDTH);
}

function formatService({ url, status }: StatusReading): string {
  const version = text(status, 'instance', 'version');
  const id = text(status, 'instance', 'id');
  const uptime = text(status, 'uptime');
  return join(
    printable(url),
    version === null ? null : `version ${printable(version)}`,
    id === null ? null : `instance ${printable(id)}`,
    uptime === null ? null : `up ${printable(uptime)}`,
  );
}

function formatReadiness({ ready }: StatusReading, terminal: TerminalStyle): string {
  if (ready === null) return styled(terminal, 'yellow', 'unknown');
  return ready ? styled(terminal, 'green', 'ready') : styled(terminal, 'red', 'NOT READY');
}

function formatFailedChecks({ checks, ready, status }: StatusReading): readonly Row[] {
  if (checks === null) return ready === false ? [['', printable(`status ${text(status, 'status')}`)]] : [];
  return Object.entries(checks).flatMap(([name, { ok, detail }]): readonly Row[] =>
    ok ? [] : [['', printable(`${name}: ${detail ?? "fails; the service log or the operators' port has the cause"}`)]],
  );
}

function formatStatus(status: JsonObject, view: StatusView): readonly Row[] {
  const { terminal } = view;
  return [
    ...formatRates(status, view),
    ['Signed', formatPerformance(status)],
    ['Accounts', formatAccounts(status)],
    ['Configuration', formatConfiguration(status)],
    ['Last load', formatReload(status, terminal)],
    ['Audit', formatAudit(member(status, 'audit'), terminal)],
    ...formatCheckpointCopies(list(status, 'audit', 'checkpointCopies'), terminal),
    ...formatDisk(member(status, 'audit', 'disk'), terminal),
    ...formatExpiry(
      'Certificate',
      text(status, 'tls', 'certificate', 'notAfter'),
      status,
      ['tls', 'certificate'],
      terminal,
    ),
    ...formatExpiry(
      'Access token',
      text(status, 'authentication', 'expirationTime'),
      status,
      ['authentication'],
      terminal,
    ),
    ['Replicas', formatReplicas(member(status, 'usage'), terminal)],
    ['Load', formatLoad(member(status, 'load'))],
  ];
}

function formatRates(status: JsonObject, view: StatusView): readonly Row[] {
  const seconds = number(status, 'activity', 'intervalSeconds');
  if (seconds === null || seconds <= 0) {
    return [['Signatures', 'no rate: this version of the service does not report its activity']];
  }
  const rate = (name: string) => formatRate(numbers(status, 'activity', name), seconds, view);
  return [
    ['Signatures', rate('signatures')],
    ['Refusals', rate('refusals')],
  ];
}

function formatRate(samples: readonly number[], seconds: number, { terminal, ascii }: StatusView): string {
  const room = terminal.columns === null ? samples.length : terminal.columns - LABEL_WIDTH - RATE_TEXT_WIDTH;
  const shown = samples.slice(-Math.max(MIN_SAMPLES, room));
  const peak = Math.max(0, ...shown) / seconds;
  const spanSeconds = shown.length * seconds;
  const span = spanSeconds < MIN_MINUTES_SPAN ? `${spanSeconds} s` : `${Math.round(spanSeconds / 60)} min`;
  const line = styled(terminal, 'cyan', sparkline(shown, ascii));
  return `${formatPerSecond(recentRate(samples, seconds)).padEnd(8)}${line}  peak ${formatPerSecond(peak)} in ${span}`;
}

/** `0.4/s`, `1234/s`. */
export function formatPerSecond(rate: number): string {
  return `${rate > 0 && rate < 0.05 ? '<0.1' : rate >= 100 ? Math.round(rate) : rate.toFixed(1)}/s`;
}

function formatPerformance(status: JsonObject): string {
  const errorRate = number(status, 'performance', 'errorRate');
  const errors =
    errorRate === null ? null : `${Number((errorRate * 100).toPrecision(3))} % of attempts without a signature`;
  const total = number(status, 'performance', 'totalSigns');
  return join(
    total === null ? null : formatCount(total, 'signature'),
    // Unlike the total, of this process: `0.00ms` before its first signature.
    text(status, 'performance', 'avgSigningTime')
      ?.replace(/^0\.00ms$/, 'none since the start')
      .replace(/^([\d.]+)ms$/, '$1 ms on average'),
    errors,
  );
}

function formatAccounts(status: JsonObject): string {
  const byPlatform = member(status, 'accounts', 'byPlatform');
  const platforms = isJsonObject(byPlatform) ? Object.entries(byPlatform) : [];
  const shown = platforms.slice(0, MAX_PLATFORMS).map(([platform, count]) => `${printable(platform)} ${count}`);
  const more = platforms.length - shown.length;
  return `${number(status, 'accounts', 'total')}: ${shown.join(', ')}${more > 0 ? ` and ${more} more platforms` : ''}`;
}

function formatConfiguration(status: JsonObject): string {
  const path = text(status, 'config', 'path') ?? '';
  const loaded = text(status, 'config', 'lastLoaded');
  const isWatching = member(status, 'config', 'isWatching') === true;
  return join(
    printable(path),
    loaded === null ? 'not loaded' : `loaded ${formatTime(loaded)}`,
    isWatching ? 'watched for changes' : 'not watched',
  );
}

function formatReload(status: JsonObject, terminal: TerminalStyle): string {
  const reload = member(status, 'config', 'lastReload');
  if (!isJsonObject(reload)) return 'none';
  const outcome = text(reload, 'outcome') ?? '';
  const trigger = text(reload, 'trigger');
  const heading = `${formatTime(text(reload, 'at') ?? '')}, trigger ${trigger === null ? 'unknown' : printable(trigger)}: `;
  const shown = styled(terminal, outcome === 'success' ? 'green' : 'red', printable(outcome));
  const issues = list(reload, 'issues').map((issue) =>
    printable([text(issue, 'path'), text(issue, 'message')].filter((part) => part !== null && part !== '').join(' ')),
  );
  const more = issues.length > MAX_NAMES ? [`and ${issues.length - MAX_NAMES} more issues`] : [];
  const details =
    outcome === 'success'
      ? formatChanges(trigger, member(status, 'activity', 'lastLoad'))
      : [...issues.slice(0, MAX_NAMES), ...more].join('; ');
  return `${heading}${shown}${details === '' ? '' : `; ${details}`}`;
}

/** What a load changed; at the start everything is new. */
function formatChanges(trigger: string | null, load: JsonValue | undefined): string {
  if (trigger === 'start' || !isJsonObject(load)) return '';
  return printable(formatReloadChanges(load, MAX_NAMES) ?? '');
}

function formatAudit(audit: JsonValue | undefined, terminal: TerminalStyle): string {
  const hash = text(audit, 'head', 'hash')?.slice(0, SHORT_HASH);
  const seq = number(audit, 'checkpoint', 'seq');
  const time = text(audit, 'checkpoint', 'time');
  const isUnavailable = member(audit, 'available') === false;
  return join(
    isUnavailable ? styled(terminal, 'red', 'CANNOT BE WRITTEN') : null,
    text(audit, 'path') === null ? null : printable(text(audit, 'path') ?? ''),
    number(audit, 'head', 'seq') === null
      ? null
      : `head ${number(audit, 'head', 'seq')}${hash === undefined ? '' : ` (${printable(hash)}…)`}`,
    seq === null ? 'no checkpoint yet' : `checkpoint ${seq}${time === null ? '' : ` of ${formatTime(time)}`}`,
  );
}

function formatCheckpointCopies(copies: readonly JsonValue[], terminal: TerminalStyle): readonly Row[] {
  return copies.map((copy) => {
    const seq = number(copy, 'seq');
    const failures = number(copy, 'failures') ?? 0;
    const saved = seq === null ? 'none saved yet' : `saved up to record ${seq}`;
    const state =
      failures > 0 ? `${styled(terminal, 'red', 'NOT SAVED')} (${formatCount(failures, 'failed attempt')}), ` : '';
    return ['Saved in', `${printable(text(copy, 'place') ?? '')}: ${state}${saved}`];
  });
}

function formatDisk(disk: JsonValue | undefined, terminal: TerminalStyle): readonly Row[] {
  const state = text(disk, 'state');
  if (state === null) return [];
  const free = number(disk, 'freeBytes');
  const style: Style = state === 'ok' ? 'green' : state === 'critical' ? 'red' : 'yellow';
  const [name, limit] =
    state === 'critical' ? ['critical', number(disk, 'criticalBytes')] : ['low', number(disk, 'lowBytes')];
  return [
    [
      'Audit disk',
      `${styled(terminal, style, printable(state))}, ${free === null ? 'free space unknown' : `${formatBytes(free)} free`}${limit === null ? '' : `; ${name} below ${formatBytes(limit)}`}`,
    ],
  ];
}

function formatExpiry(
  label: string,
  time: string | null,
  status: JsonObject,
  path: readonly string[],
  terminal: TerminalStyle,
): readonly Row[] {
  const days = number(status, ...path, 'daysLeft');
  if (time === null || days === null) return [];
  if (days < 0) return [[label, `${styled(terminal, 'red', 'EXPIRED')} ${formatTime(time)}`]];
  const left = `${formatCount(days, 'day')} left`;
  const isSoon = days < (number(status, 'expiryWarningDays') ?? EXPIRES_SOON_DAYS);
  return [[label, `expires ${formatTime(time)}, ${isSoon ? styled(terminal, 'yellow', `${left}: renew it`) : left}`]];
}

function formatReplicas(usage: JsonValue | undefined, terminal: TerminalStyle): string {
  const replicas = number(usage, 'replicas') ?? 1;
  if (member(usage, 'shared') !== true) return 'counters not shared (no SIGNING_REDIS_URL)';
  const state = text(usage, 'state') ?? '';
  if (state === 'current') return `${replicas}, counters shared`;
  const since = text(usage, 'behindSince');
  const reason = text(usage, 'reason');
  const behind = styled(terminal, 'yellow', `counters ${printable(state)}`);
  return `${replicas}, ${behind}${since === null ? '' : ` since ${formatTime(since)}`}${reason === null ? '' : `: ${printable(reason)}`}`;
}

function formatLoad(load: JsonValue | undefined): string {
  return join(
    `${number(load, 'inFlight') ?? 0} signing`,
    `${number(load, 'queued') ?? 0} waiting`,
    `since the start ${number(load, 'refused') ?? 0} rejected as overloaded`,
    `${number(load, 'rateLimited') ?? 0} over a rate limit`,
  );
}

function join(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join(', ');
}
