import { InvalidArgumentError } from 'commander';
import { AUDIT_OUTCOMES, type AuditRecord, RECORD_EVENTS } from '../../domain/model/audit-entry.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { printable } from '../../domain/model/text/unsafe-characters.ts';
import { formatDay, formatRecord, formatWarning } from './audit/tail-line.ts';
import { findGaps, formatIssue, formatVerdict } from './audit/verify-report.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { argument, byDefault, excludes, flag, integer, negation, parsed, repeatable, text } from './inputs.ts';
import { formatSpeed, withProgress } from './terminal/progress-line.ts';

/** Selects records; undefined: no restriction. */
interface TailFilter {
  /** `accountId` or `platformId/accountId`: IDs have no slash. */
  readonly account: readonly string[] | undefined;
  readonly outcome: readonly AuditRecord['outcome'][] | undefined;
  readonly event: readonly AuditRecord['event'][] | undefined;
}

/** Events of requests for an account. */
const ACCOUNT_EVENTS: readonly AuditRecord['event'][] = ['sign', 'dry-run', 'verify', 'read'];

/**
 * Predicate of a filter; null: every record. An account selects its own records, and with named
 * events also those that concern no account.
 */
function toPredicate({ account, outcome, event }: TailFilter): ((record: AuditRecord) => boolean) | null {
  if (account === undefined && outcome === undefined && event === undefined) return null;
  return (record) => {
    const ids = [record.accountId, `${record.platformId}/${record.accountId}`];
    return (
      (event?.includes(record.event) ?? true) &&
      (outcome?.includes(record.outcome) ?? true) &&
      (account === undefined ||
        (record.accountId !== null && account.some((id) => ids.includes(id))) ||
        (event !== undefined && !ACCOUNT_EVENTS.includes(record.event)))
    );
  };
}

const SPAN = /^(\d{1,6})([smhdw])$/;
const UNIT_MS: { readonly [unit: string]: number } = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3, w: 604_800e3 };
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses `--since`: an ISO 8601 date or time, by default UTC, or a time span before now such as
 * `15m`.
 * @param now milliseconds since 1970
 * @returns ISO 8601 UTC with milliseconds; null if invalid
 */
export function parseSince(given: string, now: number): string | null {
  const [, count, unit = ''] = SPAN.exec(given) ?? [];
  if (count !== undefined) return new Date(now - Number(count) * (UNIT_MS[unit] ?? 0)).toISOString();
  const [, day = '', time = '00:00', offset = 'Z'] = TIME.exec(given) ?? [];
  const moment = new Date(`${day}T${time}${offset}`);
  // JavaScript takes February 30 for March 2.
  const isValid = !Number.isNaN(Number(moment)) && new Date(day).toISOString().startsWith(day);
  return isValid ? moment.toISOString() : null;
}

/** `audit tail`: follows the records of the audit file. */
const tail = defineCommand({
  description: 'show the latest audit records and follow new ones',
  inputs: {
    file: argument('[file]', 'audit file, or one segment or copy (default: SIGNING_AUDIT_FILE)'),
    account: repeatable('--account <id>', 'only this account, as ID or platform/ID'),
    outcome: repeatable('--outcome <outcome>', 'only this outcome', AUDIT_OUTCOMES),
    event: repeatable('--event <event>', 'only this event', RECORD_EVENTS),
    since: excludes(
      parsed(
        text('--since <time>', 'start at a time (2026-11-20T08:00Z) or a duration ago (15m, 2h, 3d)'),
        (given): string => {
          const time = parseSince(given, Date.now());
          if (time !== null) return time;
          throw new InvalidArgumentError('It must be a time such as 2026-11-20T08:00Z, or a duration such as 15m.');
        },
      ),
      'lines',
    ),
    lines: byDefault(integer('-n, --lines <count>', 'number of latest records to start with', 0, 999_999_999), 10),
    follow: negation('--no-follow', 'exit after the existing records'),
    json: flag('--json', 'print the lines of the file unchanged'),
  },
  manual: {
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
  },
  run: async ({ file, since, lines, follow, json, ...filter }, session) => {
    const path = file ?? (await session.auditFile(session.environment));
    const output = session.openLiveOutput();
    const events = session.followAudit({
      file: path,
      from: since === undefined ? { lines } : { since },
      isWanted: toPredicate(filter),
      follow,
      signal: output.stopped,
    });
    let shownDay = '';
    for await (const event of events) {
      if (output.stopped.aborted) return;
      if (event.kind === 'notice') {
        if (json) output.warn(`${printable(event.text)}\n`);
        else await output.write(`${formatWarning(event.text, output)}\n`);
      } else if (json) await output.write(`${event.line}\n`);
      // Lines that are searched and sorted have the date; a terminal has a heading for each day.
      else if (output.columns === null) await output.write(`${formatRecord(event.record, true, output)}\n`);
      else {
        const day = formatDay(event.record.time, output);
        const heading = day === shownDay ? '' : `${day}\n`;
        shownDay = day;
        await output.write(`${heading}${formatRecord(event.record, false, output)}\n`);
      }
    }
  },
});

/** `audit verify`: verifies audit files. */
const verify = defineCommand({
  description: 'verify audit files and locate faults',
  inputs: {
    files: argument('[files...]', 'audit files, or folders of them, in any order, of one or more instances'),
    publicKey: repeatable('--public-key <key>', 'trusted key: the PEM file that init wrote (.pub), or base64'),
    checkpoint: repeatable('--checkpoint <file>', 'file with a checkpoint that the audit files must reach'),
    usage: flag('--usage', 'also count signatures per account'),
  },
  manual: {
    notes: [
      'Without arguments it verifies all segments of SIGNING_AUDIT_FILE. A folder stands for all segments in it; a file given twice is read once. Files are only read, and the service may be running.',
      'The trusted key is --public-key, or else the public half of the configured audit key: SIGNING_AUDIT_KEY_FILE with .pub appended, or derived from the key if that file is missing. Auditors should use --public-key with their own copy of the key. It is also needed for files of another installation, or from before a key change.',
      'Records that a signature covers cannot be rewritten without the audit key. A program with write access to the file can append records after the last signed one, which the service never acknowledged. It can also truncate the file, which only a checkpoint kept elsewhere reveals; the service log has one per minute.',
      'A chain may begin with any record, because older files may be deleted or archived. The check is incomplete if another chain ends before it, because files between them may be missing, or if its first file was started after a loss. It is also incomplete if no public key is known, if records follow the last signed one, or if files were left out: segments beside the given files, segments that this user cannot read or that were deleted meanwhile, and files compressed by another program than gzip.',
      'Files compressed by gzip (.gz) are read as they are; decompress others. Records missing between two files are a fault, unless a file that was left out begins with the first of them, by its name.',
    ],
    settings: ['SIGNING_AUDIT_FILE', 'SIGNING_AUDIT_KEY_FILE'],
    exitCodes: {
      0: 'everything verified',
      3: 'no fault found, but the check is incomplete',
      2: 'a fault (file and line on standard error, or in the document with --json), or a file cannot be read',
    },
    examples: [
      'audit verify',
      'audit verify --public-key config/audit.key.pub --checkpoint checkpoint.json var/audit',
      'audit verify --usage --json',
    ],
  },
  run: async ({ files, publicKey = [], checkpoint = [], usage = false }, session) => {
    const startedAt = performance.now();
    const check = await withProgress(session, formatSpeed, (onProgress) =>
      session.verifyAudit(session.environment, {
        files: files.length === 0 ? null : files,
        publicKeys: publicKey,
        checkpoints: checkpoint,
        usage,
        onProgress: onProgress === undefined ? null : ({ verified, total }) => onProgress(verified, total),
      }),
    );
    const incomplete = findGaps(check);
    if (check.verdict.issue !== null) session.endAs('refused');
    else if (incomplete.length > 0) session.endAs('incomplete');
    return { ...check, incomplete, seconds: (performance.now() - startedAt) / 1000 };
  },
  document: ({ verdict: { issue, notes, leftOut, chains, reached, bytes }, keys, usage, incomplete, seconds }) => ({
    verified: issue === null && incomplete.length === 0,
    fault: issue,
    incomplete,
    notes,
    leftOut: leftOut.map(({ file }) => file),
    publicKeys: keys.source === 'none' ? 'named by the files' : keys.source,
    chains,
    reachedCheckpoints: reached,
    usage: usage ?? undefined,
    bytes,
    seconds,
  }),
  text: (result, page) => {
    if (result.verdict.issue !== null) throw new OperatorError(formatIssue(result.verdict.issue, result));
    return page.prose(formatVerdict(result, result.seconds, page));
  },
});

/** The audit log. */
export const AUDIT_GROUP: CommandGroup = {
  description: 'follow and verify the audit log',
  examples: ['audit tail --since 2h', 'audit verify'],
  commands: { tail, verify },
};
