import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/model/json.ts';
import { printable } from '../../domain/model/text/unsafe-characters.ts';
import { formatBytes, formatCount } from '../../domain/model/text/wording.ts';
import { list, member, number, text, time } from './json-members.ts';
import { formatReloadChanges, formatReloadIssues } from './reload-changes.ts';

/** How good a value is. */
export type Grade = 'good' | 'warn' | 'bad';

/** A text, perhaps with a grade. */
export type Part = string | { readonly grade: Grade; readonly text: string };

/** A label, and one or more lines on what it names. */
export interface Figure {
  readonly label: string;
  readonly lines: readonly (readonly Part[])[];
}

const MAX_PLATFORMS = 8;
const MAX_NAMES = 5;
/** `sha256:` and enough digits to distinguish records. */
const SHORT_HASH = 'sha256:'.length + 12;
/** Days left at which an expiry is highlighted, for services that do not report it. */
const EXPIRES_SOON_DAYS = 14;

/** The figures of a status; those that the service does not report are left out. */
export function listFigures(status: JsonObject): readonly Figure[] {
  const audit = member(status, 'audit');
  const load = member(status, 'load');
  return [
    figure('Signed', ...listPerformance(status)),
    figure('Accounts', formatAccounts(status)),
    figure('Configuration', ...listConfiguration(member(status, 'config'))),
    figure('Last load', formatReload(status)),
    figure('Audit', ...listAudit(audit)),
    ...list(audit, 'checkpointCopies').map((copy) => figure('Saved in', ...listCheckpointCopy(copy))),
    figure('Audit disk', ...listDisk(member(audit, 'disk'))),
    figure(
      'Certificate',
      ...listExpiry(status, ['tls', 'certificate'], 'notAfter'),
      hasFailed(status, 'tls') ? [bad('last reload failed')] : null,
    ),
    figure('Access token', ...listExpiry(status, ['authentication'], 'expirationTime')),
    figure('Replicas', ...listReplicas(status)),
    figure(
      'Load',
      `${number(load, 'inFlight') ?? 0} signing`,
      `${number(load, 'queued') ?? 0} waiting`,
      `since the start ${number(load, 'refused') ?? 0} rejected as overloaded`,
      `${number(load, 'rateLimited') ?? 0} over a rate limit`,
    ),
  ].filter(({ lines }) => lines.length > 0);
}

/** Whether the last reload of `config` or `tls` failed. */
export function hasFailed(status: JsonValue | null, part: 'config' | 'tls'): boolean {
  return text(status ?? undefined, part, 'lastReload', 'outcome') === 'failed';
}

/** A line; null for none. */
type MaybeLine = readonly Part[] | string | null | undefined;

function figure(label: string, ...lines: readonly MaybeLine[]): Figure {
  return { label, lines: lines.flatMap((line) => (line ? [typeof line === 'string' ? [line] : line] : [])) };
}

function good(text: string): Part {
  return { grade: 'good', text };
}

function warn(text: string): Part {
  return { grade: 'warn', text };
}

function bad(text: string): Part {
  return { grade: 'bad', text };
}

function listPerformance(status: JsonObject): readonly MaybeLine[] {
  const total = number(status, 'performance', 'totalSigns');
  const errorRate = number(status, 'performance', 'errorRate');
  return [
    total === null ? null : formatCount(total, 'signature'),
    // Unlike the total, of this process: `0.00ms` before its first signature.
    text(status, 'performance', 'avgSigningTime')
      ?.replace(/^0\.00ms$/, 'none since the start')
      .replace(/^([\d.]+)ms$/, '$1 ms on average'),
    errorRate === null ? null : `${Number((errorRate * 100).toPrecision(3))} % of attempts without a signature`,
  ];
}

function formatAccounts(status: JsonObject): string {
  const byPlatform = member(status, 'accounts', 'byPlatform');
  const platforms = isJsonObject(byPlatform) ? Object.entries(byPlatform) : [];
  const shown = platforms.slice(0, MAX_PLATFORMS).map(([platform, count]) => `${printable(platform)} ${count}`);
  const more = platforms.length - shown.length;
  return `${number(status, 'accounts', 'total')}: ${shown.join(', ')}${more > 0 ? ` and ${more} more platforms` : ''}`;
}

function listConfiguration(config: JsonValue | undefined): readonly MaybeLine[] {
  const loaded = time(config, 'lastLoaded');
  const reloads = member(config, 'reloads');
  return [
    text(config, 'path'),
    loaded === null ? 'not loaded' : `loaded ${loaded}`,
    member(config, 'isWatching') === true ? 'watched for changes' : 'not watched',
    `${formatCount(number(reloads, 'succeeded') ?? 0, 'load')} succeeded, ${number(reloads, 'failed') ?? 0} failed`,
  ];
}

function formatReload(status: JsonObject): readonly Part[] {
  const reload = member(status, 'config', 'lastReload');
  if (!isJsonObject(reload)) return ['none'];
  const outcome = text(reload, 'outcome') ?? '';
  const trigger = text(reload, 'trigger');
  const hasSucceeded = outcome === 'success';
  const load = member(status, 'activity', 'lastLoad');
  const details = hasSucceeded ? formatChanges(trigger, load) : formatReloadIssues(reload, MAX_NAMES);
  return [
    `${time(reload, 'at') ?? ''}, trigger ${trigger ?? 'unknown'}: `,
    hasSucceeded ? good(outcome) : bad(outcome),
    details === null ? '' : `; ${printable(details)}`,
  ];
}

/** What a load changed; at the start everything is new. */
function formatChanges(trigger: string | null, load: JsonValue | undefined): string | null {
  return trigger === 'start' || !isJsonObject(load) ? null : formatReloadChanges(load, MAX_NAMES);
}

function listAudit(audit: JsonValue | undefined): readonly MaybeLine[] {
  const hash = text(audit, 'head', 'hash')?.slice(0, SHORT_HASH);
  const head = number(audit, 'head', 'seq');
  const seq = number(audit, 'checkpoint', 'seq');
  const at = time(audit, 'checkpoint', 'time');
  return [
    member(audit, 'available') === false ? [bad('CANNOT BE WRITTEN')] : null,
    text(audit, 'path'),
    head === null ? null : `head ${head}${hash === undefined ? '' : ` (${hash}…)`}`,
    seq === null ? 'no checkpoint yet' : `checkpoint ${seq}${at === null ? '' : ` of ${at}`}`,
  ];
}

function listCheckpointCopy(copy: JsonValue): readonly MaybeLine[] {
  const seq = number(copy, 'seq');
  const failures = number(copy, 'failures') ?? 0;
  const place = text(copy, 'place') ?? '';
  const saved = seq === null ? 'none saved yet' : `saved up to record ${seq}`;
  if (failures <= 0) return [`${place}: ${saved}`];
  return [[`${place}: `, bad('NOT SAVED'), ` (${formatCount(failures, 'failed attempt')})`], saved];
}

function listDisk(disk: JsonValue | undefined): readonly MaybeLine[] {
  const state = text(disk, 'state');
  if (state === null) return [];
  const free = number(disk, 'freeBytes');
  const isCritical = state === 'critical';
  const limit = number(disk, isCritical ? 'criticalBytes' : 'lowBytes');
  const below = limit === null ? '' : `; ${isCritical ? 'critical' : 'low'} below ${formatBytes(limit)}`;
  return [
    [isCritical ? bad(state) : state === 'ok' ? good(state) : warn(state)],
    `${free === null ? 'free space unknown' : `${formatBytes(free)} free`}${below}`,
  ];
}

function listExpiry(status: JsonObject, path: readonly string[], timeName: string): readonly MaybeLine[] {
  const end = time(status, ...path, timeName);
  const days = number(status, ...path, 'daysLeft');
  if (end === null || days === null) return [];
  if (days < 0) return [[bad('EXPIRED'), ` ${end}`]];
  const left = `${formatCount(days, 'day')} left`;
  const isSoon = days < (number(status, 'expiryWarningDays') ?? EXPIRES_SOON_DAYS);
  return [`expires ${end}`, isSoon ? [warn(`${left}: renew it`)] : left];
}

function listReplicas(status: JsonObject): readonly MaybeLine[] {
  const usage = member(status, 'usage');
  const limits = member(status, 'rateLimits');
  const apart = member(limits, 'shared') === true ? formatBehind('rate limits', limits, 'apartSince') : null;
  if (member(usage, 'shared') !== true) return ['counters not shared (no SIGNING_REDIS_URL)', apart];
  return [
    String(number(usage, 'replicas') ?? 1),
    formatBehind('counters', usage, 'behindSince') ?? 'counters shared',
    apart,
  ];
}

/** Null while current. */
function formatBehind(what: string, sharing: JsonValue | undefined, sinceName: string): readonly Part[] | null {
  const state = text(sharing, 'state') ?? '';
  if (state === 'current') return null;
  const since = time(sharing, sinceName);
  const reason = text(sharing, 'reason');
  const details = `${since === null ? '' : ` since ${since}`}${reason === null ? '' : `: ${reason}`}`;
  return [warn(`${what} ${state}`), details];
}
