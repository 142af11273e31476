import { Command } from 'commander';
import type { MasterKeyReport } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import type { Column } from '../terminal/table.ts';

const MANUAL: CommandManual = {
  notes: ['It does not prompt for a passphrase.'],
  settings: SEALING_SETTINGS,
  examples: ['master-key status', 'master-key status --json'],
};

/** `master-key status`: shows the readable master keys and the accounts under each. */
export function masterKeyStatusCommand(context: CliContext): Command {
  const command = new Command('status')
    .description('show the master keys and the number of accounts sealed under each')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: true }) => {
      const report = await withInstallation(context, async ({ masterKeys }) => (await masterKeys()).report());
      if (json) return printJson(context, report);
      const { renderTable } = await import('../terminal/table.ts');
      context.print(`${renderTable(COLUMNS, toRows(report), context.output)}\n`);
      await printProse(context, `${formatNextStep(report)}\n${formatLeftovers(report)}`);
    });
  return addManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'MASTER KEY', style: (role) => (role === 'missing' ? 'red' : undefined) },
  { heading: 'ID' },
  { heading: 'ACCOUNTS' },
  { heading: 'PASSPHRASE' },
  { heading: 'SOURCE' },
  { heading: 'FILE', truncate: 'middle' },
];

function toRows({ primary, previous, missing }: MasterKeyReport): readonly (readonly string[])[] {
  const readable = [{ role: 'primary', ...primary }, ...(previous === null ? [] : [{ role: 'previous', ...previous }])];
  return [
    ...readable.map(({ role, id, accounts, hasPassphrase, source, file }) => [
      role,
      id,
      String(accounts),
      hasPassphrase ? 'yes' : 'no',
      source,
      file,
    ]),
    ...missing.map(({ id, accounts }) => ['missing', id, String(accounts), '', '', '(in neither file)']),
  ];
}

function formatNextStep({ primary, previous, missing }: MasterKeyReport): string {
  if (missing.length > 0) return 'Accounts under a missing master key cannot be loaded: restore that key.';
  if (previous === null) return 'No rotation in progress.';
  if (previous.id === primary.id) {
    return (
      'The previous file also contains the primary key: a rotation was interrupted before its new key was in place.\n' +
      'To rotate with another new key, run master-key rotate. To keep this key, run master-key retire --yes, which removes the copy.'
    );
  }
  if (previous.accounts > 0) return 'A rotation is incomplete. To finish it, run master-key rotate.';
  return 'The rotation of this credentials file is complete. When every replica has reloaded, run master-key retire --yes.';
}

function formatLeftovers({ leftovers }: MasterKeyReport): string {
  if (leftovers.length === 0) return '';
  return `
Temporary files of a command that was killed or is still running. Nothing uses them, but they may contain master keys:
${leftovers.map((file) => `  ${file}\n`).join('')}master-key retire removes them, together with the previous master key, if any.
`;
}
