import type {
  AuditFailure,
  AuditNote,
  AuditVerdict,
  LateChainStart,
  LossReason,
  OutcomeCounts,
  VerifiedChain,
} from '../../../domain/model/audit-verdict.ts';
import type { AuditCheck, TrustedKeys, UsageRecount } from '../cli-context.ts';
import { styled, type TerminalStyle } from '../terminal/style.ts';
import { alignColumns, formatCount, renderTable } from '../terminal/table.ts';

/** Files named in a sentence. */
const MAX_FILES = 5;
/** Part of the names of quarantined files, before the last one. */
const SET_ASIDE = '.set-aside-';

/** What happened to the previous file, by the reason of the new one. */
const LOSSES: { readonly [reason in LossReason]: string } = {
  missing: 'the files before it were not there',
  removed: 'the file before it was deleted',
  truncated: 'another program had truncated the one before it',
  changed: 'another program had written to the one before it',
};

/** Reasons why the verification is incomplete, a sentence each; empty if complete. */
export function findGaps({ verdict, keys }: AuditCheck): readonly string[] {
  const gaps: string[] = [];
  if (keys.source === 'none') {
    gaps.push(
      `No public key is known: ${keys.file} is not there, or can not be reached. Each file was verified with the key that it names itself, and whoever makes a file can make such a key, too. ` +
        'Give the file that `init` wrote beside the audit key: --public-key audit.key.pub; or set SIGNING_AUDIT_KEY_FILE.',
    );
  }
  for (const { uncovered, last } of verdict.chains) {
    if (uncovered === 0) continue;
    const [records, them] =
      uncovered === 1
        ? [`record (${last.seq}) is`, 'it']
        : [`${uncovered} records (from ${last.seq - uncovered + 1} on) are`, 'them'];
    gaps.push(
      `The last ${records} not signed: the service never acknowledged ${them}. A crash leaves such records, and whoever can write the file could have written ${them}.`,
    );
  }
  gaps.push(...verdict.lateChainStarts.map(formatLateChainStart), ...formatSkippedFiles(verdict));
  return gaps;
}

function formatLateChainStart({ file, firstSeq, reason, before }: LateChainStart): string {
  const loss = reason === null ? '' : ` The service began that file because ${LOSSES[reason]}.`;
  const advice =
    before === null
      ? 'Give the files before it, too.'
      : `${before.file} ends with record ${before.lastSeq}: where both are of one chain, give the files between them, too; where they are of two services, verify each by itself.`;
  return `The records before record ${firstSeq}, with which ${file} begins, were not given: whether any are lost is not proven.${loss} ${advice}`;
}

/** Files that were not read, a sentence for each kind. */
export function formatSkippedFiles({ leftOut }: AuditVerdict): readonly string[] {
  const isSetAside = (file: string) => {
    const at = file.lastIndexOf(SET_ASIDE);
    return at !== -1 && !file.includes('.', at + SET_ASIDE.length);
  };
  return [
    ...formatLeftOut(
      'Compressed files',
      leftOut.filter((file) => !isSetAside(file)),
      'Decompress them, and verify all files together.',
    ),
    ...formatLeftOut(
      'Files that the service set aside',
      leftOut.filter(isSetAside),
      'Another program had written or replaced them: look what they hold. Keep those that hold records with the others, and move the rest to another folder.',
    ),
  ];
}

function formatLeftOut(what: string, files: readonly string[], advice: string): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  return [`${what} were left out: ${files.slice(0, MAX_FILES).join(', ')}${more}. ${advice}`];
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
  const verified = before.join('') === '' ? '' : `\nBefore that, this was in order:\n${before.join('')}`.trimEnd();
  const lines = [...notes.map(formatNote), ...formatKeySource(keys), ...formatSkippedFiles(verdict)].map(
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
    `The key that may sign is that of ${keys.file} (SIGNING_AUDIT_KEY_FILE). For files of another installation, or those before a change of the key, give --public-key.`,
  ];
}

function formatChain(chain: VerifiedChain): string {
  const { files, instanceIds, publicKeys, first, last, records, checkpoints } = chain;
  const rows = [
    ['instances', formatNames(instanceIds)],
    ...files.map(({ file, first, last }, index) => [
      index === 0 ? 'files' : '',
      `${file} (${first.seq} to ${last.seq})`,
    ]),
    ['events', formatEvents(chain)],
    ['signatures', String(checkpoints)],
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

function formatStart({ first }: VerifiedChain): string {
  return first.seq === 1 ? '' : `They begin with record ${first.seq}: the files before it are not among these.`;
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
  const lines = reached.map(
    ({ file, seq, time }) => `The checkpoint of ${time} in ${file} fits: it covers record ${seq}.\n`,
  );
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

const PARTIAL_USAGE = 'Counted from these files alone: the service also counts what stood in the files before them.\n';

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

const USAGE_COLUMNS = [
  { heading: 'PLATFORM', cut: 'end' },
  { heading: 'ACCOUNT', cut: 'end' },
  { heading: 'SIGNATURES' },
  { heading: 'LAST SIGNATURE' },
  { heading: 'ERRORS' },
] as const;

function formatSummary(
  { chains, bytes }: AuditVerdict,
  isComplete: boolean,
  { seconds, terminal }: VerificationFacts,
): string {
  const records = chains.reduce((sum, chain) => sum + chain.records, 0);
  const files = chains.reduce((sum, chain) => sum + chain.files.length, 0);
  const speed = (bytes / 1e6 / seconds).toFixed(1);
  const verdict = isComplete
    ? styled(terminal, 'green', 'Verified:')
    : styled(terminal, 'yellow', 'In order, but incomplete:');
  return `${verdict} ${records} records, ${formatCount(files, 'file')}, ${formatCount(chains.length, 'chain')}; ${bytes} bytes in ${seconds.toFixed(2)} s, ${speed} MB/s\n`;
}
