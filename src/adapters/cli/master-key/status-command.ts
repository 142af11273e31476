import { Command } from 'commander';
import type { MasterKeyReport } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import type { Column } from '../terminal/table.ts';

const MANUAL: CommandManual = {
  notes: ['It lists the keys in the order of the master key file, and does not prompt for a passphrase.'],
  settings: SEALING_SETTINGS,
  exitCodes: {
    0: 'the master key of every sealed account is in the file',
    2: 'rejected: standard error has the reason; or a master key is missing, so that accounts cannot be loaded',
  },
  examples: ['master-key status', 'master-key status --json'],
};

/** `master-key status`: shows the keyring and the accounts under each key. */
export function masterKeyStatusCommand(context: CliContext): Command {
  const command = new Command('status')
    .description('show the master keys and the number of accounts sealed under each')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: true }) => {
      const report = await withInstallation(context, async ({ masterKeys }) => (await masterKeys()).report());
      if (report.missing.length > 0) context.endAs('refused');
      if (json) return printJson(context, report);
      const { renderTable } = await import('../terminal/table.ts');
      context.print(`${renderTable(COLUMNS, toRows(report), context.output)}\n`);
      await printProse(context, `${report.file}: ${formatNextStep(report)}\n`);
    });
  return addManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'MASTER KEY', style: (role) => (role === 'missing' ? 'red' : undefined) },
  { heading: 'ID' },
  { heading: 'ACCOUNTS' },
  { heading: 'PASSPHRASE' },
  { heading: 'SOURCE' },
];

function toRows({ keys, missing }: MasterKeyReport): readonly (readonly string[])[] {
  return [
    ...keys.map(({ id, accounts, hasPassphrase, source }, index) => [
      index === 0 ? 'first' : 'other',
      id,
      String(accounts),
      hasPassphrase ? 'yes' : 'no',
      source,
    ]),
    ...missing.map(({ id, accounts }) => ['missing', id, String(accounts), '', '']),
  ];
}

function formatNextStep({ keys, missing }: MasterKeyReport): string {
  const [, ...others] = keys;
  if (missing.length > 0) return 'accounts under a missing master key cannot be loaded; restore that key.';
  if (others.length === 0) return 'one master key.';
  if (others.some(({ accounts }) => accounts > 0)) {
    return 'accounts are sealed under other master keys than the first. To seal them under a new one, run master-key rotate.';
  }
  return 'all accounts are sealed under the first master key. When every replica has reloaded, run master-key retire --yes.';
}
