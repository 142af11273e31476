import { OperatorError } from '../../../domain/model/errors.ts';
import { formatCount } from '../../../domain/model/text/wording.ts';
import { AccountIssuesError } from '../../../domain/services/account-administration-service.ts';
import { SEALING_SETTINGS } from '../command-options.ts';
import { defineCommand } from '../define-command.ts';
import { argument, choice, excludes, flag } from '../inputs.ts';
import { WRAPPED_NOTE } from '../master-key/source-options.ts';
import { formatKeys, withProgress } from '../terminal/progress-line.ts';
import { listSharedKeys, tableOfAccounts } from './facts.ts';
import { IMPORT_FIELDS } from './import-fields.ts';
import { type ImportedAccount, type ImportIssue, readImportFile } from './import-file.ts';

/** `account import`: adds many accounts from a CSV or JSON file, all or none. */
export const importAccounts = defineCommand({
  description: 'add accounts from a CSV or JSON file',
  inputs: {
    file: argument('[file]', 'the import file'),
    dryRun: flag('--dry-run', 'validate everything, including key files, and change nothing'),
    skipExisting: flag('--skip-existing', 'skip accounts that already exist (default: they are issues)'),
    template: excludes(
      choice('--template <form>', 'print a template and exit', ['csv', 'json']),
      ...['dryRun', 'skipExisting', 'json'],
    ),
  },
  manual: {
    notes: [
      `The file is CSV with a header line, or a JSON array of objects. Fields: ${IMPORT_FIELDS.join(', ')} and values.NAME (in JSON, an object values). platformId and accountId are required; other fields default as in account add.`,
      'The file never contains keys: keyFile is a path, relative to the folder of the import file. Without keyFile, a key is generated.',
      'All or nothing: if anything is invalid, every issue is listed with its row, account, line and field, and nothing is changed. The platforms must exist.',
      WRAPPED_NOTE,
    ],
    settings: SEALING_SETTINGS,
    exitCodes: {
      2: 'rejected: standard error lists the issues (with --json, faults in the document); nothing was changed',
    },
    examples: [
      'account import --template csv > accounts.csv',
      'account import accounts.csv --dry-run',
      'account import accounts.csv',
      'account import accounts.json --skip-existing --json',
    ],
  },
  run: async ({ file, dryRun = false, skipExisting = false, template }, session) => {
    if (template !== undefined) {
      session.print(template === 'json' ? `${JSON.stringify({ accounts: SAMPLES }, null, 2)}\n` : formatCsvTemplate());
      return undefined;
    }
    if (file === undefined) throw new OperatorError("missing required argument 'file'");
    const read = readImportFile(file);
    const administration = await session.use('accounts');
    const before = await administration.list();
    // A dry run finds the remaining issues.
    const options = { dryRun: dryRun || read.issues.length > 0, skipExisting };
    const { additions, refused } = await withProgress(session, formatKeys, (onProgress) =>
      administration.addAccounts(read.accounts, { ...options, onProgress }).then(
        (additions) => ({ additions, refused: [] }),
        (error: unknown) => {
          if (error instanceof AccountIssuesError) return { additions: [], refused: error.issues };
          throw error;
        },
      ),
    );
    const found = refused.map(({ account, ...issue }): ImportIssue => {
      const { row, line, name } = account as ImportedAccount;
      return { row, line, name, ...issue };
    });
    const issues = [...read.issues, ...found].toSorted((left, right) => (left.row ?? 0) - (right.row ?? 0));
    if (issues.length > 0) session.endAs('refused');
    const added = new Map(issues.length > 0 ? [] : additions.map(({ spec, account }) => [spec, account]));
    const accounts = read.accounts.flatMap((spec) => {
      const account = added.get(spec);
      return account === undefined ? [] : [{ row: spec.row, ...account }];
    });
    const skipped = issues.length > 0 ? [] : read.accounts.filter((spec) => !added.has(spec));
    return {
      ...{ file, dryRun, imported: dryRun ? 0 : accounts.length, accounts, issues },
      skipped: skipped.map(({ row, platformId, accountId }) => ({ row, platformId, accountId })),
      cautions: listSharedKeys(accounts, before.accounts).map(({ name, warning }) => `${name}: ${warning}`),
      keyFiles: [...new Set([...added.keys()].flatMap(({ keyFile = [] }) => keyFile))],
      location: administration.location,
    };
  },
  document: ({ issues, location: _, ...report }) => ({
    ...report,
    faults: issues.map(({ name: _, ...fault }) => fault),
  }),
  text: ({ file, dryRun, accounts, skipped, issues, keyFiles, location }, page) => {
    if (issues.length > 0) throw new OperatorError(formatIssues(issues, file));
    const added = formatCount(accounts.length, 'account');
    const head = dryRun
      ? `No issues in ${file}: ${added} would be added to ${location}.`
      : `${added} added to ${location}.`;
    const kept = ` Skipped because they already exist: ${formatCount(skipped.length, 'account')}.`;
    return [
      page.prose(`${page.styled('green', head)}${skipped.length === 0 ? '' : kept}\n`),
      accounts.length > 0 && accounts.length <= MAX_ACCOUNTS ? `\n${tableOfAccounts(accounts, page, GENERATED)}\n` : '',
      dryRun || keyFiles.length === 0 ? '' : page.prose(formatKeyFilesHint(keyFiles.length, file)),
      dryRun ? 'Nothing was changed (--dry-run).\n' : '',
    ].join('');
  },
  reload: ({ dryRun, accounts }) => !dryRun && accounts.length > 0,
});

/** Accounts of a file that the text lists; of more it has their number. */
const MAX_ACCOUNTS = 20;

const GENERATED = '(generated on import)';

function formatKeyFilesHint(count: number, file: string): string {
  const [them, need] = count === 1 ? ['the key file', 'it'] : [`the ${count} key files`, 'them'];
  return `The accounts have encrypted copies of their keys. Delete ${them} listed in ${file} unless something else needs ${need}.\n`;
}

const MAX_ISSUES = 50;

/** All issues of a file, a line each, to follow `error: `. */
function formatIssues(issues: readonly ImportIssue[], file: string): string {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => `\n  ${formatPosition(issue)} ${issue.message}`);
  const rest = issues.length - MAX_ISSUES;
  const more = rest > 0 ? `\n  and ${rest} more (--json lists all)` : '';
  const hasExisting = issues.some(({ message }) => message.startsWith('already exists'));
  const hint = hasExisting ? '\nTo skip existing accounts, use --skip-existing.' : '';
  return `${file}: ${formatCount(issues.length, 'issue')}; nothing was changed.${lines.join('')}${more}${hint}`;
}

/** `row 2 (alpha/main), line 3, keyFile`; a JSON file may have all its rows in one line. */
function formatPosition({ row, line, name, field }: ImportIssue): string {
  const position = [
    row === null ? null : `row ${row}${name === null ? '' : ` (${name})`}`,
    line === null ? null : `line ${line}`,
    field,
  ].filter((part) => part !== null);
  return position.length === 0 ? 'the file' : position.join(', ');
}

/** Accounts of the template: a key file, a generated key, a keystore. */
const SAMPLES: readonly { readonly [field: string]: string | { readonly apiKey: string } }[] = [
  {
    platformId: 'bybit',
    accountId: 'main',
    algorithm: 'hmac-sha256',
    alias: 'Bybit main',
    environment: 'production',
    status: 'active',
    keyFile: 'keys/bybit-main.key',
    values: { apiKey: 'YOUR-API-KEY' },
  },
  { platformId: 'my-exchange', accountId: 'market-maker', algorithm: 'ed25519', alias: 'Generated key' },
  {
    platformId: 'treasury',
    accountId: 'hot',
    algorithm: 'eip191',
    status: 'disabled',
    keyFile: 'keys/hot.json',
    keyFormat: 'keystore',
    passwordFile: 'keys/hot.password',
  },
];

function formatCsvTemplate(): string {
  const rows = SAMPLES.map(({ values, ...fields }) => [
    ...IMPORT_FIELDS.map((field) => fields[field] ?? ''),
    typeof values === 'object' ? values.apiKey : '',
  ]);
  return [[...IMPORT_FIELDS, 'values.apiKey'], ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}
