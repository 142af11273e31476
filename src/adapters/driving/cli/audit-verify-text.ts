import type {
  AuditFault,
  AuditNote,
  AuditVerdict,
  OutcomeCounts,
  VerifiedChain,
} from '../../../domain/model/audit-verdict.ts';
import { findGaps, leftOutTexts } from './audit-verify-gaps.ts';
import type { AuditCheck, TrustedKeys, UsageRecount } from './cli-context.ts';
import { fittingTable } from './fitting-table.ts';
import { type Look, styled } from './look.ts';
import { textTable } from './text-table.ts';

/** What the text says beside the verdict. */
export interface VerificationFacts {
  readonly seconds: number;
  readonly look: Look;
}

/**
 * A fault, as the end of `error: `, and how far things were in order before it: another program
 * could have written what no signature covers.
 */
export function faultText({ file, line, message }: AuditFault, { verdict, keys }: AuditCheck): string {
  const { chains, notes } = verdict;
  const place = line === null ? file : `${file}, line ${line},`;
  const before = chains.map(inOrderText);
  const verified = before.join('') === '' ? '' : `\nBefore that, this was in order:\n${before.join('')}`.trimEnd();
  const lines = [...notes.map(noteText), ...keyText(keys), ...leftOutTexts(verdict)].map((text) => `\n${text}`);
  return `${place} ${message}.\nNot verified.${verified}${lines.join('')}`;
}

function inOrderText({ files, first, last, uncovered }: VerifiedChain): string {
  const end = last.seq - uncovered;
  const names = files.filter((one) => one.first.seq <= end).map(({ file }) => file);
  return names.length === 0 ? '' : `  records ${first.seq} to ${end}, in ${names.join(', ')}\n`;
}

/** What was verified, for people; ends with a newline. */
export function verdictText(check: AuditCheck, facts: VerificationFacts): string {
  const { verdict, usage, keys } = check;
  const gaps = findGaps(check);
  return [
    ...verdict.chains.map((chain) => `${chainText(chain)}\n`),
    notesText(verdict),
    reachedText(verdict),
    usage === null ? '' : usageText(usage, verdict.chains, facts.look),
    ...[...keyText(keys), ...gaps].map((text) => `${text}\n\n`),
    summary(verdict, gaps.length === 0, facts),
  ].join('');
}

/** Containers have a new name at each start. */
const SHOWN_INSTANCES = 10;

function keyText(keys: TrustedKeys): readonly string[] {
  if (keys.source !== 'configured') return [];
  return [
    `The key that may sign is that of ${keys.file} (SIGNING_AUDIT_KEY_FILE). For files of another installation, or those before a change of the key, give --public-key.`,
  ];
}

function chainText(chain: VerifiedChain): string {
  const { files, instanceIds, publicKeys, first, last, records, checkpoints } = chain;
  const rows = [
    ['instances', firstOf(instanceIds)],
    ...files.map(({ file, first, last }, index) => [
      index === 0 ? 'files' : '',
      `${file} (${first.seq} to ${last.seq})`,
    ]),
    ['events', eventsText(chain)],
    ['signatures', String(checkpoints)],
    ...publicKeys.map((key, index) => [index === 0 ? 'public key' : 'then', key]),
  ];
  const heading = `Records ${first.seq} to ${last.seq} (${records}), ${first.time} to ${last.time}, are in order.\n`;
  const start = startText(chain);
  return (
    heading +
    textTable(rows.map(([name = '', value = '']) => [`  ${name}`, value])) +
    (start === '' ? '' : `  ${start}\n`)
  );
}

function startText({ first }: VerifiedChain): string {
  return first.seq === 1 ? '' : `They begin with record ${first.seq}: the files before it are not among these.`;
}

function notesText({ notes }: AuditVerdict): string {
  return notes.length === 0 ? '' : `${notes.map((note) => `${noteText(note)}\n`).join('')}\n`;
}

function noteText({ file, message }: AuditNote): string {
  return `Note: ${file} ${message}.`;
}

function firstOf(names: readonly string[]): string {
  const more = names.length - SHOWN_INSTANCES;
  return `${names.slice(0, SHOWN_INSTANCES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function eventsText({ events }: VerifiedChain): string {
  const parts = Object.entries(events).map(([event, counts]) => `${event} ${outcomesText(counts)}`);
  return parts.length === 0 ? 'none' : parts.join('; ');
}

function outcomesText(counts: OutcomeCounts): string {
  const { success, refused, failed } = counts;
  const total = success + refused + failed;
  if (total === success) return String(total);
  return `${total} (${success} success, ${refused} refused, ${failed} failed)`;
}

function reachedText({ reached }: AuditVerdict): string {
  const lines = reached.map(
    ({ file, seq, time }) => `The checkpoint of ${time} in ${file} fits: it covers record ${seq}.\n`,
  );
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

const PARTIAL_USAGE = 'Counted from these files alone: the service also counts what stood in the files before them.\n';

function usageText({ accounts, totals }: UsageRecount, chains: readonly VerifiedChain[], look: Look): string {
  const rows = accounts.map(({ platformId, accountId, totalSigns, lastSignAt, errorCount }) => [
    platformId,
    accountId,
    String(totalSigns),
    lastSignAt ?? '(never)',
    String(errorCount),
  ]);
  // Of accounts that do not exist, errors are in the total alone.
  const total = `Total: ${totals.totalSigns} signatures, ${totals.errorCount} errors\n`;
  const partial = chains.some(({ first }) => first.seq > 1) ? PARTIAL_USAGE : '';
  return `${fittingTable(USAGE_COLUMNS, rows, look)}${total}${partial}\n`;
}

const USAGE_COLUMNS = [
  { heading: 'PLATFORM', cut: 'end' },
  { heading: 'ACCOUNT', cut: 'end' },
  { heading: 'SIGNATURES' },
  { heading: 'LAST SIGNATURE' },
  { heading: 'ERRORS' },
] as const;

function summary({ chains, bytes }: AuditVerdict, isComplete: boolean, { seconds, look }: VerificationFacts): string {
  const records = chains.reduce((sum, chain) => sum + chain.records, 0);
  const files = chains.reduce((sum, chain) => sum + chain.files.length, 0);
  const speed = (bytes / 1e6 / seconds).toFixed(1);
  const verdict = isComplete ? styled(look, 'green', 'Verified:') : styled(look, 'yellow', 'In order, but incomplete:');
  return `${verdict} ${records} records, ${counted(files, 'file')}, ${counted(chains.length, 'chain')}; ${bytes} bytes in ${seconds.toFixed(2)} s, ${speed} MB/s\n`;
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
