import { formatCount } from '../../../../domain/model/text/wording.ts';
import { RELOAD_HINT } from '../../command-options.ts';
import { styled, type TerminalStyle } from '../../terminal/style.ts';
import { renderTable } from '../../terminal/table.ts';
import { formatWarnings } from '../../warnings.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportIssue } from './import-row.ts';

const MAX_ISSUES = 50;
const MAX_ACCOUNTS = 20;

/** Context of a report. */
export interface ReportFacts {
  readonly file: string;
  readonly dryRun: boolean;
  /** Path of the credentials file. */
  readonly location: string;
  readonly terminal: TerminalStyle;
}

/**
 * All issues of a file, a line each, to follow `error: `.
 * @param names of accounts by row
 */
export function formatIssues(issues: readonly ImportIssue[], file: string, names: ReadonlyMap<number, string>): string {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => `\n  ${formatPosition(issue, names)} ${issue.message}`);
  const rest = issues.length - MAX_ISSUES;
  const more = rest > 0 ? `\n  and ${rest} more (--json lists all)` : '';
  const hasExisting = issues.some(({ message }) => message.startsWith('already exists'));
  const hint = hasExisting ? '\nTo skip existing accounts, use --skip-existing.' : '';
  return `${file}: ${formatCount(issues.length, 'issue')}; nothing was changed.${lines.join('')}${more}${hint}`;
}

/** What was, or would be, imported; ends with a newline. */
export function formatReport({ accounts, skipped, warnings, keyFiles }: ImportReport, facts: ReportFacts): string {
  const { file, dryRun, location, terminal } = facts;
  const [added, left] = [formatCount(accounts.length, 'account'), formatCount(skipped.length, 'account')];
  const head = dryRun
    ? `No issues in ${file}: ${added} would be added to ${location}.`
    : `${added} added to ${location}.`;
  const rest = skipped.length === 0 ? '' : ` Skipped because they already exist: ${left}.`;
  return [
    `${styled(terminal, 'green', head)}${rest}\n`,
    accounts.length > 0 && accounts.length <= MAX_ACCOUNTS ? `\n${formatAccounts(accounts, terminal)}\n` : '',
    formatWarnings(warnings, terminal),
    dryRun || keyFiles.length === 0 ? '' : formatKeyFilesHint(keyFiles.length, file),
    dryRun ? 'Nothing was changed (--dry-run).\n' : accounts.length === 0 ? '' : RELOAD_HINT,
  ].join('');
}

function formatAccounts(accounts: ImportReport['accounts'], terminal: TerminalStyle): string {
  const rows = accounts.map(({ platformId, accountId, algorithm, status, publicKey }) => [
    platformId,
    accountId,
    algorithm,
    status,
    publicKey ?? '(generated on import)',
  ]);
  return renderTable(
    [
      { heading: 'PLATFORM', truncate: 'end' },
      { heading: 'ACCOUNT', truncate: 'end' },
      { heading: 'ALGORITHM' },
      { heading: 'STATUS' },
      { heading: 'PUBLIC KEY', truncate: 'middle' },
    ],
    rows,
    terminal,
  );
}

function formatKeyFilesHint(count: number, file: string): string {
  const [them, need] = count === 1 ? ['the key file', 'it'] : [`the ${count} key files`, 'them'];
  return `The accounts have encrypted copies of their keys. Delete ${them} listed in ${file} unless something else needs ${need}.\n`;
}

/** `row 2 (alpha/main), line 3, keyFile`; a JSON file may have all its rows in one line. */
function formatPosition({ row, line, field }: ImportIssue, names: ReadonlyMap<number, string>): string {
  const name = row === null ? undefined : names.get(row);
  const position = [
    ...(row === null ? [] : [`row ${row}${name === undefined ? '' : ` (${name})`}`]),
    ...(line === null ? [] : [`line ${line}`]),
    ...(field === null ? [] : [field]),
  ];
  return position.length === 0 ? 'the file' : position.join(', ');
}
