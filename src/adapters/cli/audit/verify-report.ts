import type {
  AuditFailure,
  AuditNote,
  AuditVerdict,
  ClockSetBacks,
  LateChainStart,
  LeftOutReason,
  LossReason,
  OutcomeCounts,
  VerifiedChain,
} from '../../../domain/model/audit-verdict.ts';
import { formatCount } from '../../../domain/model/text/wording.ts';
import type { AuditCheck, TrustedKeys, UsageRecount } from '../cli-context.ts';
import { styled, type TerminalStyle } from '../terminal/style.ts';
import { alignColumns, type Column, renderTable } from '../terminal/table.ts';

/** Files named in a sentence. */
const MAX_FILES = 5;

/** What happened to the previous file, by the reason of the new one. */
const LOSSES: { readonly [reason in LossReason]: string } = {
  missing: 'the previous files were missing',
  removed: 'the previous file was deleted',
  truncated: 'another program truncated the previous one',
  changed: 'another program wrote to the previous one',
};

/** Reasons why the verification is incomplete, a sentence each; empty if complete. */
export function findGaps({ verdict, keys }: AuditCheck): readonly string[] {
  const gaps: string[] = [];
  if (keys.source === 'none') {
    gaps.push(
      `No public key is known: ${keys.file} does not exist or cannot be accessed. Each file was verified with the key that it contains, which a forger can replace. ` +
        'Use --public-key with the file that `init` wrote next to the audit key (audit.key.pub), or set SIGNING_AUDIT_KEY_FILE.',
    );
  }
  for (const { uncovered, last } of verdict.chains) {
    if (uncovered === 0) continue;
    const [records, them] =
      uncovered === 1
        ? [`record (${last.seq}) is`, 'it']
        : [`${uncovered} records (from ${last.seq - uncovered + 1} on) are`, 'them'];
    gaps.push(
      `The last ${records} not covered by a signature: the service never acknowledged ${them}. A crash can leave such records, or another program wrote ${them}.`,
    );
  }
  gaps.push(...verdict.lateChainStarts.map(formatLateChainStart), ...formatLeftOutFiles(verdict));
  return gaps;
}

function formatLateChainStart({ file, firstSeq, reason, before }: LateChainStart): string {
  const loss = reason === null ? '' : ` The service started that file because ${LOSSES[reason]}.`;
  const advice =
    before === null
      ? 'Also pass the previous files.'
      : `${before.file} ends with record ${before.lastSeq}: if both belong to one chain, also pass the files between them; if they belong to two services, verify each separately.`;
  return `${file} begins with record ${firstSeq}. The records before it were not given, so it is not proven that none are missing.${loss} ${advice}`;
}

const LEFT_OUT: readonly { readonly reason: LeftOutReason; readonly noun: string; readonly advice: string }[] = [
  {
    reason: 'not-given',
    noun: 'audit file',
    advice: 'Their records were not verified: verify all files together.',
  },
  {
    reason: 'unreadable',
    noun: 'unreadable file',
    advice: 'This user cannot read them; their owner can grant access.',
  },
  {
    reason: 'compressed',
    noun: 'compressed file',
    advice: 'Decompress them and verify all files together.',
  },
  {
    reason: 'removed',
    noun: 'deleted file',
    advice: 'They were deleted meanwhile, perhaps by the service (SIGNING_AUDIT_KEEP_FILES): verify again.',
  },
];

/** Files that were not read, by reason, with their number. */
function formatLeftOutFiles({ leftOut }: AuditVerdict): readonly string[] {
  return LEFT_OUT.flatMap(({ reason, noun, advice }) => {
    const files = leftOut.filter((one) => one.reason === reason).map(({ file }) => file);
    if (files.length === 0) return [];
    const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
    const were = files.length === 1 ? 'was' : 'were';
    return [
      `${formatCount(files.length, noun)} ${were} left out: ${files.slice(0, MAX_FILES).join(', ')}${more}. ${advice}`,
    ];
  });
}

/** Context of the report. */
export interface VerificationFacts {
  readonly seconds: number;
  readonly terminal: TerminalStyle;
}

/** An issue, to follow `error: `, and the range that signatures cover before it. */
export function formatIssue({ file, line, message }: AuditFailure, { verdict, keys }: AuditCheck): string {
  const { chains, notes } = verdict;
  const position = line === null ? file : `${file}, line ${line},`;
  const before = chains.map(formatVerifiedRange);
  const verified = before.join('') === '' ? '' : `\nVerified before the fault:\n${before.join('')}`.trimEnd();
  const lines = [...notes.map(formatNote), ...formatKeySource(keys), ...formatLeftOutFiles(verdict)].map(
    (text) => `\n${text}`,
  );
  return `${position} ${message}.\nNot verified.${verified}${lines.join('')}`;
}

function formatVerifiedRange({ files, first, last, uncovered }: VerifiedChain): string {
  const end = last.seq - uncovered;
  const names = files.filter((one) => one.first.seq <= end).map(({ file }) => file);
  return names.length === 0 ? '' : `  records ${first.seq} to ${end}, in ${names.join(', ')}\n`;
}

/** Report of a verification; ends with a newline. */
export function formatVerdict(check: AuditCheck, facts: VerificationFacts): string {
  const { verdict, usage, keys } = check;
  const gaps = findGaps(check);
  return [
    ...verdict.chains.map((chain) => `${formatChain(chain)}\n`),
    formatNotes(verdict),
    formatCheckpoints(verdict),
    usage === null ? '' : formatUsage(usage, verdict.chains, facts.terminal),
    ...[...formatKeySource(keys), ...gaps].map((text) => `${text}\n\n`),
    formatSummary(verdict, gaps.length === 0, facts),
  ].join('');
}

/** Containers get a new name at each start. */
const MAX_INSTANCES = 10;

function formatKeySource(keys: TrustedKeys): readonly string[] {
  if (keys.source !== 'configured') return [];
  return [
    `Trusted key: ${keys.file} (SIGNING_AUDIT_KEY_FILE). For files of another installation, or from before a key change, use --public-key.`,
  ];
}

function formatChain(chain: VerifiedChain): string {
  const { files, instanceIds, publicKeys, first, last, records, checkpoints, clockSetBacks } = chain;
  const rows = [
    ['instances', formatNames(instanceIds)],
    ...files.map(({ file, first, last }, index) => [
      index === 0 ? 'files' : '',
      `${file} (${first.seq} to ${last.seq})`,
    ]),
    ['events', formatEvents(chain)],
    ['signed records', String(checkpoints)],
    ...(clockSetBacks === null ? [] : [['clock set back', formatSetBacks(clockSetBacks)]]),
    ...publicKeys.map((key, index) => [index === 0 ? 'public key' : 'then', key]),
  ];
  const heading = `Records ${first.seq} to ${last.seq} (${records}), ${first.time} to ${last.time}, are in order.\n`;
  const start = formatStart(chain);
  return (
    heading +
    alignColumns(rows.map(([name = '', value = '']) => [`  ${name}`, value])) +
    (start === '' ? '' : `  ${start}\n`)
  );
}

function formatSetBacks({ count, first, largestMilliseconds }: ClockSetBacks): string {
  const step = `${first.milliseconds / 1000} s`;
  if (count === 1) return `once, by ${step}, between records ${first.before.seq} and ${first.at.seq}`;
  return `${count} times, first by ${step} between records ${first.before.seq} and ${first.at.seq}, at most by ${largestMilliseconds / 1000} s`;
}

function formatStart({ first }: VerifiedChain): string {
  return first.seq === 1 ? '' : `The first record is ${first.seq}: earlier files were not given.`;
}

function formatNotes({ notes }: AuditVerdict): string {
  return notes.length === 0 ? '' : `${notes.map((note) => `${formatNote(note)}\n`).join('')}\n`;
}

function formatNote({ file, message }: AuditNote): string {
  return `Note: ${file} ${message}.`;
}

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_INSTANCES;
  return `${names.slice(0, MAX_INSTANCES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function formatEvents({ events }: VerifiedChain): string {
  const parts = Object.entries(events).map(([event, counts]) => `${event} ${formatOutcomes(counts)}`);
  return parts.length === 0 ? 'none' : parts.join('; ');
}

function formatOutcomes(counts: OutcomeCounts): string {
  const { success, refused, failed } = counts;
  const total = success + refused + failed;
  if (total === success) return String(total);
  return `${total} (${success} success, ${refused} refused, ${failed} failed)`;
}

function formatCheckpoints({ reached }: AuditVerdict): string {
  const lines = reached.map(({ file, seq, time, matching, earlier }) => {
    const newest =
      matching === 1
        ? `The checkpoint of ${time} in ${file} matches`
        : `${matching} checkpoints in ${file} match, the newest of ${time}`;
    const before =
      earlier === 0
        ? ''
        : ` ${formatCount(earlier, 'checkpoint')} before record ${seq} could not be compared: older audit files were not given.`;
    return `${newest}: it covers record ${seq}.${before}\n`;
  });
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

const PARTIAL_USAGE = 'Counted in these files only: the service also counts earlier files.\n';

function formatUsage(
  { accounts, totals }: UsageRecount,
  chains: readonly VerifiedChain[],
  terminal: TerminalStyle,
): string {
  const rows = accounts.map(({ platformId, accountId, totalSigns, lastSignAt, errorCount }) => [
    platformId,
    accountId,
    String(totalSigns),
    lastSignAt ?? '(never)',
    String(errorCount),
  ]);
  // The total includes errors of unknown accounts.
  const total = `Total: ${totals.totalSigns} signatures, ${totals.errorCount} errors\n`;
  const partial = chains.some(({ first }) => first.seq > 1) ? PARTIAL_USAGE : '';
  return `${renderTable(USAGE_COLUMNS, rows, terminal)}${total}${partial}\n`;
}

const USAGE_COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', truncate: 'end' },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'SIGNATURES' },
  { heading: 'LAST SIGNATURE' },
  { heading: 'ERRORS' },
];

function formatSummary(
  { chains, bytes }: AuditVerdict,
  isComplete: boolean,
  { seconds, terminal }: VerificationFacts,
): string {
  const records = chains.reduce((sum, chain) => sum + chain.records, 0);
  const files = chains.reduce((sum, chain) => sum + chain.files.length, 0);
  const speed = (bytes / 1e6 / seconds).toFixed(1);
  const verdict = isComplete ? styled(terminal, 'green', 'Verified:') : styled(terminal, 'yellow', 'Incomplete:');
  return `${verdict} ${records} records, ${formatCount(files, 'file')}, ${formatCount(chains.length, 'chain')}; ${bytes} bytes in ${seconds.toFixed(2)} s, ${speed} MB/s\n`;
}
