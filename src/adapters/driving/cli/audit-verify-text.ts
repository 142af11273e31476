import type {
  AuditFault,
  AuditNote,
  AuditVerdict,
  OutcomeCounts,
  VerifiedChain,
} from '../../../ports/audit-verifier.ts';
import type { AuditCheck, UsageRecount } from './cli-context.ts';
import { fittingTable } from './fitting-table.ts';
import { type Look, styled } from './look.ts';
import { textTable } from './text-table.ts';

/** What the text says beside the verdict. */
export interface VerificationFacts {
  readonly seconds: number;
  /** Whether keys were given; otherwise the files named their own. */
  readonly keysWereGiven: boolean;
  readonly look: Look;
}

/** A fault, as the end of `error: `, and how far things were in order before it. */
export function faultText({ file, line, message }: AuditFault, { chains, notes }: AuditVerdict): string {
  const place = line === null ? file : `${file}, line ${line},`;
  const before = chains.map(
    ({ files, first, last }) =>
      `  records ${first.seq} to ${last.seq}, in ${files.map((one) => one.file).join(', ')}\n`,
  );
  const verified = before.length === 0 ? '' : `\nBefore that, this was in order:\n${before.join('')}`.trimEnd();
  return `${place} ${message}.\nNot verified.${verified}${notes.map((note) => `\n${noteText(note)}`).join('')}`;
}

/** What was verified, for people; ends with a newline. */
export function verdictText({ verdict, usage }: AuditCheck, facts: VerificationFacts): string {
  return [
    ...verdict.chains.map((chain) => `${chainText(chain)}\n`),
    notesText(verdict),
    reachedText(verdict),
    usage === null ? '' : usageText(usage, verdict.chains, facts.look),
    facts.keysWereGiven ? '' : OWN_KEYS,
    summary(verdict, facts),
  ].join('');
}

/** Containers have a new name at each start. */
const SHOWN_INSTANCES = 10;

const OWN_KEYS =
  'No public key was given, so each file was verified with the key that it names itself. Whoever makes a file can make such a key, too: compare the key\n' +
  'above with the one of the service, or give the file that `init` wrote: --public-key audit.key.pub.\n\n';

function chainText(chain: VerifiedChain): string {
  const { files, instanceIds, publicKeys, first, last, records, checkpoints } = chain;
  const rows = [
    ['instances', firstOf(instanceIds)],
    ...files.map(({ file, first, last }, index) => [
      index === 0 ? 'files' : '',
      `${file} (${first.seq} to ${last.seq})`,
    ]),
    ['events', eventsText(chain)],
    ['checkpoints', String(checkpoints)],
    ...publicKeys.map((key, index) => [index === 0 ? 'public key' : 'then', key]),
  ];
  const heading = `Records ${first.seq} to ${last.seq} (${records}), ${first.time} to ${last.time}, are in order.\n`;
  const notes = [startText(chain), coverText(chain)].filter((note) => note !== '').map((note) => `  ${note}\n`);
  return heading + textTable(rows.map(([name = '', value = '']) => [`  ${name}`, value])) + notes.join('');
}

function startText({ first }: VerifiedChain): string {
  return first.seq === 1 ? '' : `They begin with record ${first.seq}: the files before it are not among these.`;
}

function coverText({ uncovered, last }: VerifiedChain): string {
  if (uncovered === 0) return '';
  const [records, them] =
    uncovered === 1
      ? [`record (${last.seq})`, 'it']
      : [`${uncovered} records (from ${last.seq - uncovered + 1} on)`, 'them'];
  return (
    `Nobody has signed the last ${records} yet: whoever can write the file could have written ${them}.\n` +
    '  A running service signs within a minute; one that was killed, at its next start; one that stopped in order leaves none.'
  );
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

function summary({ chains, bytes }: AuditVerdict, { seconds, look }: VerificationFacts): string {
  const records = chains.reduce((sum, chain) => sum + chain.records, 0);
  const files = chains.reduce((sum, chain) => sum + chain.files.length, 0);
  const speed = (bytes / 1e6 / seconds).toFixed(1);
  return `${styled(look, 'green', 'Verified:')} ${records} records, ${counted(files, 'file')}, ${counted(chains.length, 'chain')}; ${bytes} bytes in ${seconds.toFixed(2)} s, ${speed} MB/s\n`;
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
