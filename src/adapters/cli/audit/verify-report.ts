import type {
  AuditFailure,
  AuditVerdict,
  ClockSetBacks,
  LateChainStart,
  LeftOutReason,
  LossReason,
  ReachedCheckpoint,
  VerifiedChain,
} from '../../../domain/model/audit-verdict.ts';
import { formatCount, listSome } from '../../../domain/model/text/wording.ts';
import type { AuditCheck, UsageRecount } from '../cli-context.ts';
import type { Page } from '../terminal/page.ts';
import type { Column } from '../terminal/table.ts';

/** What happened to the previous file, by the reason of the new one. */
const LOSSES: { readonly [reason in LossReason]: string } = {
  missing: 'the previous files were missing',
  removed: 'the previous file was deleted',
  truncated: 'another program truncated the previous one',
  changed: 'another program wrote to the previous one',
};

/** Reasons why the verification is incomplete, a sentence each; empty if complete. */
export function findGaps({ verdict, keys }: AuditCheck): readonly string[] {
  return [
    ...(keys.source === 'none'
      ? [
          `No public key is known: ${keys.file} does not exist or cannot be accessed. Each file was verified with the key that it contains, which a forger can replace. ` +
            'Use --public-key with the file that `init` wrote next to the audit key (audit.key.pub), or set SIGNING_AUDIT_KEY_FILE.',
        ]
      : []),
    ...verdict.chains.filter(({ uncovered }) => uncovered > 0).map(formatUncovered),
    ...verdict.lateChainStarts.map(formatLateChainStart),
    ...formatLeftOutFiles(verdict),
  ];
}

function formatUncovered({ uncovered, last }: VerifiedChain): string {
  const [records, them] =
    uncovered === 1
      ? [`record (${last.seq}) is`, 'it']
      : [`${uncovered} records (from ${last.seq - uncovered + 1} on) are`, 'them'];
  return `The last ${records} not covered by a signature: the service never acknowledged ${them}. A crash can leave such records, or another program wrote ${them}.`;
}

function formatLateChainStart({ file, firstSeq, reason, before }: LateChainStart): string {
  const loss = reason === null ? '' : ` The service started that file because ${LOSSES[reason]}.`;
  const advice =
    before === null
      ? 'Also pass the previous files.'
      : `${before.file} ends with record ${before.lastSeq}: if both belong to one chain, also pass the files between them; if they belong to two services, verify each separately.`;
  return `${file} begins with record ${firstSeq}. The records before it were not given, so it is not proven that none are missing.${loss} ${advice}`;
}

const LEFT_OUT: readonly (readonly [reason: LeftOutReason, noun: string, advice: string])[] = [
  ['not-given', 'audit file', 'Their records were not verified: verify all files together.'],
  ['unreadable', 'unreadable file', 'This user cannot read them; their owner can grant access.'],
  ['compressed', 'compressed file', 'Decompress them and verify all files together.'],
  [
    'removed',
    'deleted file',
    'They were deleted meanwhile, perhaps by the service (SIGNING_AUDIT_KEEP_FILES): verify again.',
  ],
];

/** Files that were not read, by reason, with their number. */
function formatLeftOutFiles({ leftOut }: AuditVerdict): readonly string[] {
  return LEFT_OUT.flatMap(([reason, noun, advice]) => {
    const files = leftOut.filter((one) => one.reason === reason);
    if (files.length === 0) return [];
    const were = files.length === 1 ? 'was' : 'were';
    return [`${formatCount(files.length, noun)} ${were} left out: ${listSome(files, ({ file }) => file)}. ${advice}`];
  });
}

/** An issue, to follow `error: `, and the range that signatures cover before it. */
export function formatIssue({ file, line, message }: AuditFailure, { verdict, keys }: AuditCheck): string {
  const ranges = verdict.chains.flatMap(({ files, first, last, uncovered }) => {
    const end = last.seq - uncovered;
    const covered = files.filter((one) => one.first.seq <= end).map((one) => one.file);
    return covered.length === 0 ? [] : [`  records ${first.seq} to ${end}, in ${covered.join(', ')}`];
  });
  return [
    `${line === null ? file : `${file}, line ${line},`} ${message}.`,
    'Not verified.',
    ...(ranges.length === 0 ? [] : ['Verified before the fault:', ...ranges]),
    ...formatNotes(verdict),
    ...formatTrust(keys),
    ...formatLeftOutFiles(verdict),
  ].join('\n');
}

function formatNotes({ notes }: AuditVerdict): readonly string[] {
  return notes.map(({ file, message }) => `Note: ${file} ${message}.`);
}

function formatTrust(keys: AuditCheck['keys']): readonly string[] {
  if (keys.source !== 'configured') return [];
  return [
    `Trusted key: ${keys.file} (SIGNING_AUDIT_KEY_FILE). For files of another installation, or from before a key change, use --public-key.`,
  ];
}

/**
 * Report of a verification without issue; ends with a newline.
 * @param seconds that it took
 */
export function formatVerdict(check: AuditCheck, seconds: number, page: Page): string {
  const { verdict, usage, keys } = check;
  const { chains, reached, bytes } = verdict;
  const gaps = findGaps(check);
  const records = chains.reduce((sum, chain) => sum + chain.records, 0);
  const files = chains.reduce((sum, chain) => sum + chain.files.length, 0);
  const result = gaps.length === 0 ? page.styled('green', 'Verified:') : page.styled('yellow', 'Incomplete:');
  return [
    ...chains.map((chain) => formatChain(chain, page)),
    formatNotes(verdict).join('\n'),
    reached.map(formatCheckpoint).join('\n'),
    usage === null ? '' : formatUsage(usage, chains, page),
    ...formatTrust(keys),
    ...gaps,
    `${result} ${formatCount(records, 'record')}, ${formatCount(files, 'file')}, ${formatCount(chains.length, 'chain')}; ${formatCount(bytes, 'byte')} in ${seconds.toFixed(2)} s${formatSpeed(bytes, seconds)}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Of a file that is read at once, the speed would be that of the start. */
function formatSpeed(bytes: number, seconds: number): string {
  return bytes < 1e6 ? '' : `, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s`;
}

function formatChain(chain: VerifiedChain, page: Page): string {
  const { files, instanceIds, publicKeys, first, last, records, checkpoints, clockSetBacks } = chain;
  return [
    `Records ${first.seq} to ${last.seq} (${records}), ${first.time} to ${last.time}, are in order.\n`,
    page.facts([
      // Containers get a new name at each start.
      ['  instances', listSome(instanceIds, (id) => id)],
      ...files.map(
        (one, index) => [index === 0 ? '  files' : '', `${one.file} (${one.first.seq} to ${one.last.seq})`] as const,
      ),
      ['  events', formatEvents(chain)],
      ['  signed records', String(checkpoints)],
      ...(clockSetBacks === null ? [] : [['  clock set back', formatSetBacks(clockSetBacks)] as const]),
      ...publicKeys.map((key, index) => [index === 0 ? '  public key' : '  then', key] as const),
    ]),
    first.seq === 1 ? '' : `  The first record is ${first.seq}: earlier files were not given.\n`,
  ]
    .join('')
    .trimEnd();
}

function formatEvents({ events }: VerifiedChain): string {
  const texts = Object.entries(events).map(([event, { success, refused, failed }]) => {
    const total = success + refused + failed;
    return `${event} ${total}${total === success ? '' : ` (${success} success, ${refused} refused, ${failed} failed)`}`;
  });
  return texts.length === 0 ? 'none' : texts.join('; ');
}

function formatSetBacks({ count, first, largestMilliseconds }: ClockSetBacks): string {
  const step = `${first.milliseconds / 1000} s`;
  if (count === 1) return `once, by ${step}, between records ${first.before.seq} and ${first.at.seq}`;
  return `${count} times, first by ${step} between records ${first.before.seq} and ${first.at.seq}, at most by ${largestMilliseconds / 1000} s`;
}

function formatCheckpoint({ file, seq, time, matching, earlier }: ReachedCheckpoint): string {
  const newest =
    matching === 1
      ? `The checkpoint of ${time} in ${file} matches`
      : `${matching} checkpoints in ${file} match, the newest of ${time}`;
  const before =
    earlier === 0
      ? ''
      : ` ${formatCount(earlier, 'checkpoint')} before record ${seq} could not be compared: older audit files were not given.`;
  return `${newest}: it covers record ${seq}.${before}`;
}

function formatUsage({ accounts, totals }: UsageRecount, chains: readonly VerifiedChain[], page: Page): string {
  const rows = accounts.map(({ platformId, accountId, totalSigns, lastSignAt, errorCount }) => [
    ...[platformId, accountId, String(totalSigns), lastSignAt ?? '(never)', String(errorCount)],
  ]);
  const isPartial = chains.some(({ first }) => first.seq > 1);
  return [
    page.table(USAGE_COLUMNS, rows),
    // Errors of unknown accounts are in the total alone.
    `Total: ${formatCount(totals.totalSigns, 'signature')}, ${formatCount(totals.errorCount, 'error')}`,
    isPartial ? '\nCounted in these files only: the service also counts earlier files.' : '',
  ].join('');
}

const USAGE_COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', truncate: 'end' },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'SIGNATURES' },
  { heading: 'LAST SIGNATURE' },
  { heading: 'ERRORS' },
];
