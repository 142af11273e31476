import { Command, Option } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import { WRAPPED_NOTE } from '../master-key/source-options.ts';
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
    'The file is CSV with a header line, or a JSON array of objects. Fields: platformId, accountId, algorithm, alias, environment, status, keyFile, keyFormat, passwordFile, passphraseFile, derivationPath and values.NAME (in JSON, an object values). platformId and accountId are required; other fields default as in account add.',
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
};

/** `account import`: adds many accounts from a CSV or JSON file, all or none. */
export function accountImportCommand(context: CliContext): Command {
  const command = new Command('import')
    .description('add accounts from a CSV or JSON file')
    .argument('[file]', 'the import file')
    .option('--dry-run', 'validate everything, including key files, and change nothing')
    .option('--skip-existing', 'skip accounts that already exist (default: they are issues)')
    .addOption(
      new Option('--template <form>', 'print a template and exit')
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
  await withInstallation(context, async (installation) => {
    const administration = await installation.accounts();
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
      if (report.issues.length > 0) context.endAs('refused');
      return printJson(context, reportDocument(report, file, dryRun));
    }
    const { formatIssues, formatReport } = await import('./import/import-text.ts');
    if (report.issues.length > 0) throw new OperatorError(formatIssues(report.issues, file, read.names));
    const facts = { file, dryRun, location: administration.location, terminal: context.output };
    await printProse(context, formatReport(report, facts));
  });
}
