import type { JsonObject, JsonValue } from '../../domain/model/json.ts';
import { printable } from '../../domain/model/text/unsafe-characters.ts';
import { formatBytes } from '../../domain/model/text/wording.ts';
import { recentRate } from '../../domain/services/recent-activity.ts';
import { type Figure, type Grade, hasFailed, listFigures } from './figures.ts';
import { list, member, number, numbers, text, time } from './json-members.ts';

/** What a service reported; null: nothing. */
export interface StatusReport {
  /** Null if unknown. */
  readonly ready: boolean | null;
  /** `checks` of `GET /readyz`. */
  readonly checks: JsonObject | null;
  /** `data` of `GET /api/v1/status`, perhaps with `activity`. */
  readonly status: JsonObject | null;
}

/** A table: texts by row, in the columns that its function names. */
export type Rows = readonly (readonly string[])[];

/** Requests of one outcome, counted in equal intervals, the last one ending now. */
export interface Series {
  readonly counts: readonly number[];
  /** The current rate: `0.4/s`. */
  readonly rate: string;
}

/** What console and terminal show of a service. All texts are printable. */
export interface StatusView {
  readonly version: string | null;
  readonly instance: string | null;
  /** `3h 12m 4s`. */
  readonly uptime: string | null;
  readonly readiness: { readonly grade: Grade; readonly text: string };
  /** Passed and failed checks, and what else is wrong. */
  readonly checks: readonly { readonly grade: Grade; readonly text: string }[];
  /** Names of the failed checks. */
  readonly failed: readonly string[];
  /** Null if the service does not report it. */
  readonly traffic: {
    readonly signatures: Series;
    readonly refusals: Series;
    /** Of each count. */
    readonly seconds: number;
  } | null;
  readonly figures: readonly Figure[];
  /** What was refused, how often, and code and time of the last refusal. */
  readonly refusals: Rows;
  /**
   * The last audit records, newest first: time, event, outcome, account, caller, error code, policy
   * and request ID.
   */
  readonly records: Rows;
  /** The most important figures, for one line. */
  readonly summary: readonly string[];
}

/** Names of checks as operators know them. */
const CHECK_NAMES: { readonly [name: string]: string } = {
  keys: 'Accounts',
  audit: 'Audit log',
  selfTest: 'Self-test',
  draining: 'Running',
  authentication: 'Authentication',
};

/** Grades of the outcomes of records. */
export const OUTCOME_GRADES: { readonly [outcome: string]: Grade } = {
  success: 'good',
  refused: 'warn',
  failed: 'bad',
};

/** Refused accounts, callers and policies each. */
const MAX_REFUSED = 5;
const MAX_RECORDS = 20;

/** What to show of a service of any version: what it does not report is left out. */
export function viewStatus(report: StatusReport): StatusView {
  const status = report.status ?? {};
  const traffic = viewTraffic(status);
  return {
    version: text(status, 'instance', 'version'),
    instance: text(status, 'instance', 'id'),
    uptime: text(status, 'uptime'),
    ...viewReadiness(report),
    traffic,
    figures: report.status === null ? [] : listFigures(report.status),
    refusals: listRefusals(status),
    records: list(status, 'activity', 'records').slice(0, MAX_RECORDS).map(toRecordRow),
    summary: [
      ...(traffic === null ? [] : [`signatures ${traffic.signatures.rate}`, `refusals ${traffic.refusals.rate}`]),
      `total ${number(status, 'performance', 'totalSigns')}`,
      `accounts ${number(status, 'accounts', 'total')}`,
      `load ${text(status, 'config', 'lastReload', 'outcome') ?? 'none'}`,
      `audit ${number(status, 'audit', 'head', 'seq')}`,
      ...[number(status, 'audit', 'disk', 'freeBytes')].flatMap((free) =>
        free === null ? [] : [`disk ${formatBytes(free)} free`],
      ),
    ],
  };
}

/** The largest of these counts of a series as a rate: `16.0/s`. */
export function formatPeak(counts: readonly number[], seconds: number): string {
  return formatPerSecond(Math.max(0, ...counts) / seconds);
}

function formatPerSecond(rate: number): string {
  return `${rate > 0 && rate < 0.05 ? '<0.1' : rate >= 100 ? Math.round(rate) : rate.toFixed(1)}/s`;
}

function viewReadiness({ ready, checks, status }: StatusReport): Pick<StatusView, 'readiness' | 'checks' | 'failed'> {
  const known = Object.entries(checks ?? {}).map(([id, check]) => {
    const name = CHECK_NAMES[id] ?? printable(id);
    if (member(check, 'ok') === true) return { grade: 'good', name, text: name } as const;
    const cause = text(check, 'detail') ?? "the service log or the operators' port has the cause";
    return { grade: 'bad', name, text: `${name} failed: ${cause}` } as const;
  });
  return {
    readiness:
      ready === null
        ? { grade: 'warn', text: 'Unknown' }
        : ready
          ? { grade: 'good', text: 'Ready' }
          : { grade: 'bad', text: 'Not ready' },
    checks: [
      ...known.map(({ grade, text }) => ({ grade, text })),
      ...(checks === null && ready === false
        ? [{ grade: 'bad', text: `Status ${text(status ?? {}, 'status')}` } as const]
        : []),
      ...(hasFailed(status, 'config')
        ? [{ grade: 'warn', text: 'The last load of the configuration failed' } as const]
        : []),
    ],
    failed: known.flatMap(({ grade, name }) => (grade === 'bad' ? [name] : [])),
  };
}

function viewTraffic(status: JsonObject): StatusView['traffic'] {
  const seconds = number(status, 'activity', 'intervalSeconds');
  if (seconds === null || seconds <= 0) return null;
  const toSeries = (name: string): Series => {
    const counts = numbers(status, 'activity', name);
    return { counts, rate: formatPerSecond(recentRate(counts, seconds)) };
  };
  return { signatures: toSeries('signatures'), refusals: toSeries('refusals'), seconds };
}

function listRefusals(status: JsonObject): Rows {
  const rows = (kind: string, toName: (entry: JsonValue) => string) =>
    list(status, 'activity', 'refusedBy', kind)
      .slice(0, MAX_REFUSED)
      .map((entry) => [
        toName(entry),
        String(number(entry, 'count')),
        text(entry, 'lastCode') ?? '',
        time(entry, 'lastAt') ?? '',
      ]);
  return [
    ...rows('accounts', (entry) => `account ${text(entry, 'platformId')}/${text(entry, 'accountId')}`),
    ...rows('callers', (entry) => `caller ${text(entry, 'principal') ?? '(not authenticated)'}`),
    ...rows('policies', (entry) => `policy ${text(entry, 'policy')}`),
  ];
}

function toRecordRow(record: JsonValue): readonly string[] {
  const [platformId, accountId] = [text(record, 'platformId'), text(record, 'accountId')];
  return [
    time(record, 'time') ?? '',
    text(record, 'event') ?? '',
    text(record, 'outcome') ?? '',
    platformId === null && accountId === null ? '-' : `${platformId ?? '-'}/${accountId ?? '-'}`,
    text(record, 'principal') ?? '-',
    text(record, 'errorCode') ?? '',
    text(record, 'policy') ?? '',
    text(record, 'correlationId') ?? '',
  ];
}
