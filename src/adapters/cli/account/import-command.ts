import { Command, Option } from 'commander';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import { formatKeys, withProgress } from '../terminal/progress-line.ts';
import { readImportFile } from './import/import-file.ts';
import { importReport, reportDocument } from './import/import-report.ts';
import { importTemplate, TEMPLATE_FORMS } from './import/import-template.ts';

interface Options {
  readonly dryRun?: true;
  readonly skipExisting?: true;
  readonly template?: (typeof TEMPLATE_FORMS)[number];
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'The file is CSV, with a line that names the columns, or JSON, an array of objects with the same names: platformId, accountId, algorithm, alias, environment, status, keyFile, keyFormat, passwordFile and values.NAME (in JSON an object values). platformId and accountId are needed; what else is empty is as account add has it by default.',
    'Keys never stand in the file: keyFile names a file for each, and a relative path begins at the folder of the import file. Without a keyFile the key is made here, as account add does it.',
    'All or nothing: when anything is wrong, everything that is wrong is told with its line and field, and nothing is changed. Accounts of many platforms may stand in one file, in any order; the platforms have to be there.',
  ],
  settings: SEALING_SETTINGS,
  exitCodes: {
    2: 'refused: standard error says what is wrong (with --json, faults in the document); nothing was changed',
  },
  examples: [
    'account import --template csv > accounts.csv',
    'account import accounts.csv --dry-run',
    'account import accounts.csv',
    'account import accounts.json --skip-existing --json',
  ],
};

/** `account import`: adds many accounts from a CSV or JSON file, all or none. */
export function accountImportCommand(context: CliContext): Command {
  const command = new Command('import')
    .description('add many accounts at once, from a CSV or JSON file that names their key files')
    .argument('[file]', 'the import file')
    .option('--dry-run', 'check everything, key files too, and change nothing')
    .option('--skip-existing', 'leave accounts that are there already as they are (default: they are faults)')
    .addOption(
      new Option('--template <form>', 'print a file to fill in, and do nothing else')
        .choices(TEMPLATE_FORMS)
        .conflicts(['dryRun', 'skipExisting', 'json']),
    )
    .addOption(jsonOption())
    .action(async (file: string | undefined, options: Options, self: Command) => {
      if (options.template !== undefined) return context.print(importTemplate(options.template));
      if (file === undefined) return self.error("error: missing required argument 'file'");
      await importAccounts(context, file, options);
    });
  return addManual(command, MANUAL);
}

async function importAccounts(context: CliContext, file: string, options: Options): Promise<void> {
  const { dryRun = false, skipExisting = false, json } = options;
  const read = await readImportFile(file);
  await withInstallation(context, async ({ administration }) => {
    const before = await administration.list();
    const outcome = await withProgress(context, formatKeys, (onProgress) =>
      administration.addAccounts(
        read.specs.map(({ spec }) => spec),
        // A dry run finds the remaining issues.
        { dryRun: dryRun || read.issues.length > 0, skipExisting, onProgress },
      ),
    );
    const report = importReport(read, outcome, before.accounts);
    if (json) {
      if (report.issues.length > 0) context.endAsRefused();
      return printJson(context, reportDocument(report, file, dryRun));
    }
    const { formatIssues, formatReport } = await import('./import/import-text.ts');
    if (report.issues.length > 0) throw new EditRefusedError(formatIssues(report.issues, file));
    const facts = { file, dryRun, location: administration.location, terminal: context.output };
    await printProse(context, formatReport(report, facts));
  });
}
