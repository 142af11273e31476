import { cautionsText } from '../cautions.ts';
import { RELOAD_HINT } from '../command-parts.ts';
import { fittingTable } from '../fitting-table.ts';
import { type Look, styled } from '../look.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportFault } from './import-row.ts';

const MOST_FAULTS = 50;
const MOST_ACCOUNTS = 20;

/** What the text of a report says beside it. */
export interface ReportFacts {
  readonly file: string;
  readonly dryRun: boolean;
  /** Path of the configuration. */
  readonly location: string;
  readonly look: Look;
}

/** Everything that is wrong with a file, a line each, as the end of `error: `. */
export function faultsText(faults: readonly ImportFault[], file: string): string {
  const lines = faults.slice(0, MOST_FAULTS).map((fault) => `\n  ${placeText(fault)} ${fault.message}`);
  const rest = faults.length - MOST_FAULTS;
  const more = rest > 0 ? `\n  and ${rest} more; --json lists all` : '';
  const isThere = faults.some(({ message }) => message.startsWith('exists already'));
  const hint = isThere ? '\nTo leave accounts that are there as they are: --skip-existing.' : '';
  return `${file}: ${counted(faults.length, 'fault')}, nothing was changed.${lines.join('')}${more}${hint}`;
}

/** What was imported, or would be; ends with a newline. */
export function reportText({ accounts, skipped, cautions, keyFiles }: ImportReport, facts: ReportFacts): string {
  const { file, dryRun, location, look } = facts;
  const [added, left] = [counted(accounts.length, 'account'), counted(skipped.length, 'account')];
  const head = dryRun
    ? `Nothing is wrong with ${file}: ${added} would be added to ${location}.`
    : `${added} ${accounts.length === 1 ? 'is' : 'are'} added to ${location}.`;
  const rest = skipped.length === 0 ? '' : ` Left as before, because there already: ${left}.`;
  return [
    `${styled(look, 'green', head)}${rest}\n`,
    accounts.length > 0 && accounts.length <= MOST_ACCOUNTS ? `\n${accountsTable(accounts, look)}\n` : '',
    cautionsText(cautions, look),
    dryRun || keyFiles.length === 0 ? '' : keyFilesHint(keyFiles.length, file),
    dryRun ? 'Nothing was changed (--dry-run).\n' : accounts.length === 0 ? '' : RELOAD_HINT,
  ].join('');
}

function accountsTable(accounts: ImportReport['accounts'], look: Look): string {
  const rows = accounts.map(({ platformId, accountId, algorithm, status, publicKey }) => [
    platformId,
    accountId,
    algorithm,
    status,
    publicKey ?? '(made when imported)',
  ]);
  return fittingTable(
    [
      { heading: 'PLATFORM', cut: 'end' },
      { heading: 'ACCOUNT', cut: 'end' },
      { heading: 'ALGORITHM' },
      { heading: 'STATUS' },
      { heading: 'PUBLIC KEY', cut: 'middle' },
    ],
    rows,
    look,
  );
}

function keyFilesHint(count: number, file: string): string {
  const [them, need] = count === 1 ? ['the key file', 'it'] : [`the ${count} key files`, 'them'];
  return `The accounts have sealed copies of their keys: delete ${them} that ${file} names unless something else needs ${need}.\n`;
}

function placeText({ line, field }: ImportFault): string {
  const place = [...(line === null ? [] : [`line ${line}`]), ...(field === null ? [] : [field])].join(', ');
  return place === '' ? 'the file' : place;
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
