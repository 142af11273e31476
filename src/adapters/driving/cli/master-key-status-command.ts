import { Command } from 'commander';
import type { MasterKeyReport } from '../../../ports/master-key-administration.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';
import { textTable } from './text-table.ts';

/** `master-key status`: shows which master keys can be read and what is sealed under each. */
export function masterKeyStatusCommand(context: CliContext): Command {
  return new Command('status')
    .description('show which master keys can be read and how many accounts are sealed under each')
    .addOption(jsonOption())
    .addHelpText('after', example('master-key status', 'master-key status --json'))
    .action(async ({ json }: { json?: true }) => {
      const report = await withInstallation(context, ({ masterKeys }) => masterKeys.report());
      if (json) return printJson(context, report);
      context.print(`${textTable([HEADINGS, ...rows(report)])}\n${nextStep(report)}\n${leftBehind(report)}`);
    });
}

const HEADINGS = ['MASTER KEY', 'ID', 'ACCOUNTS', 'PASSPHRASE', 'FILE'];

function rows({ primary, previous, missing }: MasterKeyReport): readonly (readonly string[])[] {
  const held = [{ role: 'primary', ...primary }, ...(previous === null ? [] : [{ role: 'previous', ...previous }])];
  return [
    ...held.map(({ role, id, accounts, hasPassphrase, file }) => [
      role,
      id,
      String(accounts),
      hasPassphrase ? 'yes' : 'no',
      file,
    ]),
    ...missing.map(({ id, accounts }) => ['missing', id, String(accounts), '', '(in neither file)']),
  ];
}

function nextStep({ primary, previous, missing }: MasterKeyReport): string {
  if (missing.length > 0) return 'Accounts under a missing master key can not be loaded: restore that key.';
  if (previous === null) return 'No rotation is under way.';
  if (previous.id === primary.id) {
    return (
      'The previous file holds the primary key, too: a rotation was interrupted before its new key was in place.\n' +
      'To rotate, with another new key: master-key rotate. To stay with this key: master-key retire removes the copy.'
    );
  }
  if (previous.accounts > 0) return 'A rotation is not finished: master-key rotate finishes it.';
  return 'The rotation is done here. When every replica has taken it up: master-key retire.';
}

function leftBehind({ leftovers }: MasterKeyReport): string {
  if (leftovers.length === 0) return '';
  return `
Left by a command that was killed (or that runs right now); nothing uses these files, and they may hold copies of master keys:
${leftovers.map((file) => `  ${file}\n`).join('')}master-key retire removes them, and with them the previous master key where there is one.
`;
}
