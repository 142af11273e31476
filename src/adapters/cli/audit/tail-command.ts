import { Command, InvalidArgumentError, Option } from 'commander';
import {
  AUDIT_OUTCOMES,
  type AuditRecord,
  type FollowerEvent,
  RECORD_EVENTS,
} from '../../../domain/model/audit-entry.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import type { CliContext, LiveOutput } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';

/** Selects records; undefined: no restriction. */
export interface TailFilter {
  /** `accountId` or `platformId/accountId`: IDs have no slash. */
  readonly account?: readonly string[] | undefined;
  readonly outcome?: readonly AuditRecord['outcome'][] | undefined;
  readonly event?: readonly AuditRecord['event'][] | undefined;
}

/** Events of requests for an account. */
const ACCOUNT_EVENTS: readonly AuditRecord['event'][] = ['sign', 'dry-run', 'verify', 'read'];

/**
 * Predicate of a filter; null: every record. An account selects its own records, and with named
 * events also those that concern no account.
 */
export function recordFilter({ account, outcome, event }: TailFilter): ((record: AuditRecord) => boolean) | null {
  if (account === undefined && outcome === undefined && event === undefined) return null;
  const isNamed = (record: AuditRecord) => event?.includes(record.event) ?? true;
  return (record) =>
    isNamed(record) &&
    (outcome?.includes(record.outcome) ?? true) &&
    (account === undefined ||
      account.some((id) => isOfAccount(record, id)) ||
      (event !== undefined && !ACCOUNT_EVENTS.includes(record.event)));
}

function isOfAccount({ platformId, accountId }: AuditRecord, id: string): boolean {
  return accountId !== null && (id === accountId || id === `${platformId}/${accountId}`);
}

const SPAN = /^(\d{1,6})([smhdw])$/;
const UNIT_MS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Parses `--since`: an ISO 8601 date or time, by default UTC, or a time span before now such as
 * `15m`.
 * @param now milliseconds since 1970
 * @returns ISO 8601 UTC with milliseconds; null if invalid
 */
export function parseSince(text: string, now: number): string | null {
  const span = SPAN.exec(text);
  if (span !== null) return isoTime(now - Number(span[1]) * (UNIT_MS[span[2] ?? ''] ?? 0));
  const time = TIME.exec(text);
  if (time === null) return null;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = time;
  // JavaScript would accept February 30th as March 2nd.
  if (isoTime(Date.parse(`${day}T00:00:00Z`))?.startsWith(day) !== true) return null;
  return isoTime(Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}${offset}`));
}

function isoTime(milliseconds: number): string | null {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

interface Options extends TailFilter {
  readonly since?: string;
  readonly lines: number;
  readonly follow: boolean;
  readonly json?: true;
}

const DEFAULT_LINES = 10;

const MANUAL: CommandManual = {
  notes: [
    'It runs until Ctrl-C, across segments, and waits for a file that does not exist yet. It only reads files and needs no key. Times are UTC.',
    'A repeated option matches any of its values. With --account, --outcome or --event, --lines counts matching records in the last 64 MiB. --account leaves out starts, stops and other events that concern no account, unless --event names them.',
    'Invalid or altered lines and missing records are reported in place (with --json, on standard error). To verify a whole file, use audit verify.',
  ],
  settings: ['SIGNING_AUDIT_FILE'],
  exitCodes: {
    0: 'stopped by Ctrl-C, or the pipe was closed',
    2: 'the file cannot be read, or an option is invalid',
  },
  examples: [
    'audit tail',
    'audit tail --account my-exchange/main --outcome refused --outcome failed',
    'audit tail --since 2h --no-follow',
    'audit tail --json --account main | jq .errorCode',
  ],
};

/** `audit tail`: follows the records of the audit file. */
export function auditTailCommand(context: CliContext): Command {
  const command = new Command('tail')
    .description('show the latest audit records and follow new ones')
    .argument('[file]', 'audit file, or one segment or copy (default: SIGNING_AUDIT_FILE)')
    .option('--account <id>', 'only this account, as ID or platform/ID; repeatable', collected)
    .addOption(
      new Option('--outcome <outcome>', 'only this outcome; repeatable')
        .choices(AUDIT_OUTCOMES)
        .argParser(collectedFrom(AUDIT_OUTCOMES)),
    )
    .addOption(
      new Option('--event <event>', 'only this event; repeatable')
        .choices(RECORD_EVENTS)
        .argParser(collectedFrom(RECORD_EVENTS)),
    )
    .addOption(
      new Option('--since <time>', 'start at a time (2026-11-20T08:00Z) or a duration ago (15m, 2h, 3d)')
        .argParser(parseSinceOption)
        .conflicts('lines'),
    )
    .option('-n, --lines <count>', 'number of latest records to start with', parseCount, DEFAULT_LINES)
    .option('--no-follow', 'exit after the existing records')
    .option('--json', 'print the lines of the file unchanged')
    .action((file: string | undefined, options: Options) => tail(context, file, options));
  return addManual(command, MANUAL);
}

async function tail(context: CliContext, file: string | undefined, options: Options): Promise<void> {
  const { since: time, lines, follow, json } = options;
  const path = file ?? (await context.auditFile(context.environment));
  const output = context.openLiveOutput();
  const show = json ? showLines(output) : await showRecords(output);
  const events = context.followAudit({
    file: path,
    from: time === undefined ? { lines } : { since: time },
    isWanted: recordFilter(options),
    follow,
    signal: output.stopped,
  });
  for await (const event of events) {
    if (output.stopped.aborted) return;
    await show(event);
  }
}

type Show = (event: FollowerEvent) => Promise<void>;

function showLines(output: LiveOutput): Show {
  return async (event) => {
    if (event.kind === 'record') return output.write(`${event.line}\n`);
    output.warn(`${printable(event.text)}\n`);
  };
}

/**
 * Terminals get a heading for each day; other outputs, which are searched and sorted, the date in
 * each line.
 */
async function showRecords(output: LiveOutput): Promise<Show> {
  const { formatDay, formatRecord, formatWarning } = await import('./tail-line.ts');
  let day = '';
  return async (event) => {
    if (event.kind === 'notice') return output.write(`${formatWarning(event.text, output)}\n`);
    const { record } = event;
    if (output.columns === null) return output.write(`${formatRecord(record, true, output)}\n`);
    const heading = formatDay(record.time, output);
    await output.write(`${heading === day ? '' : `${heading}\n`}${formatRecord(record, false, output)}\n`);
    day = heading;
  };
}

function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function collectedFrom<Choice extends string>(choices: readonly Choice[]) {
  return (value: string, before: readonly Choice[] | undefined): readonly Choice[] => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
    return [...(before ?? []), choice];
  };
}

function parseSinceOption(text: string): string {
  const time = parseSince(text, Date.now());
  if (time === null)
    throw new InvalidArgumentError('It must be a time such as 2026-11-20T08:00Z, or a duration such as 15m.');
  return time;
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of at most 9 digits.');
}
