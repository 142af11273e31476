import { Command } from 'commander';
import type { AccountListing } from '../../../domain/services/account-administration-service.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import type { Column } from '../terminal/table.ts';
import { statusStyle } from './account-status.ts';

const MANUAL: CommandManual = {
  notes: [
    'Long values are truncated on a terminal, unless --wide or --json is given.',
    'An active account of a disabled platform has the status "platform disabled"; --json shows status and platformStatus.',
    'Accounts of Ethereum algorithms show their address; --json also has their public key.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['account list', 'account list --wide', 'account list --platform my-exchange --json'],
};

/** `account list`: shows the accounts of the credentials file, never a key. */
export function accountListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the accounts in the credentials file')
    .option('--platform <id>', 'only accounts of this platform')
    .option('--wide', 'do not truncate values')
    .addOption(jsonOption())
    .action(async ({ platform, wide, json }: { platform?: string; wide?: true; json?: true }) => {
      const { accounts } = await withInstallation(context, ({ administration }) => administration.list());
      const shown = accounts.filter(({ platformId }) => platform === undefined || platformId === platform);
      if (json) return printJson(context, { accounts: shown, total: shown.length });
      const { renderTable } = await import('../terminal/table.ts');
      const terminal = { ...context.output, columns: wide ? null : context.output.columns };
      context.print(shown.length === 0 ? 'No accounts.\n' : renderTable(COLUMNS, shown.map(toRow), terminal));
    });
  return addManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', truncate: 'end' },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'ALIAS', truncate: 'end' },
  { heading: 'STATUS', style: (status) => statusStyle(status === 'active' ? status : 'disabled') },
  { heading: 'ENVIRONMENT', truncate: 'end' },
  { heading: 'ALGORITHM' },
  { heading: 'KEY/ADDRESS', truncate: 'middle' },
];

function toRow(account: AccountListing['accounts'][number]): readonly string[] {
  const { platformId, accountId, alias, environment, algorithm, publicKey, address } = account;
  const key = address ?? publicKey ?? '(derived at load)';
  return [platformId, accountId, alias, toStatus(account), environment, algorithm, key];
}

function toStatus({ status, platformStatus }: AccountListing['accounts'][number]): string {
  return status === 'active' && platformStatus === 'disabled' ? 'platform disabled' : status;
}
