import { Command } from 'commander';
import type { AccountListing } from '../../../domain/services/account-administration-service.ts';
import { statusStyle } from './account-status-style.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { jsonOption, printJson } from './command-parts.ts';
import type { Column } from './fitting-table.ts';
import { CREDENTIALS_SETTINGS } from './named-settings.ts';

const MANUAL: CommandManual = {
  notes: [
    'On a terminal, what does not fit is cut, keys and addresses in the middle; --wide, --json and a pipe have everything in full.',
    'Accounts of Ethereum algorithms show their address; --json has their public key, too.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['account list', 'account list --wide', 'account list --platform my-exchange --json'],
};

/** `account list`: shows the accounts of the credentials file, never a key. */
export function accountListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the accounts in the credentials file')
    .option('--platform <id>', 'only those of this platform')
    .option('--wide', 'show everything in full, however wide the terminal is')
    .addOption(jsonOption())
    .action(async ({ platform, wide, json }: { platform?: string; wide?: true; json?: true }) => {
      const { accounts } = await withInstallation(context, ({ administration }) => administration.list());
      const shown = accounts.filter(({ platformId }) => platform === undefined || platformId === platform);
      if (json) return printJson(context, { accounts: shown, total: shown.length });
      const { fittingTable } = await import('./fitting-table.ts');
      const look = { ...context.output, columns: wide ? null : context.output.columns };
      context.print(shown.length === 0 ? 'No accounts.\n' : fittingTable(COLUMNS, shown.map(row), look));
    });
  return withManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', cut: 'end' },
  { heading: 'ACCOUNT', cut: 'end' },
  { heading: 'ALIAS', cut: 'end' },
  { heading: 'STATUS', style: (status) => statusStyle(status === 'active' ? status : 'disabled') },
  { heading: 'ENVIRONMENT', cut: 'end' },
  { heading: 'ALGORITHM' },
  { heading: 'KEY/ADDRESS', cut: 'middle' },
];

function row(account: AccountListing['accounts'][number]): readonly string[] {
  const { platformId, accountId, alias, status, environment, algorithm, publicKey, address } = account;
  return [platformId, accountId, alias, status, environment, algorithm, address ?? publicKey ?? '(derived at load)'];
}
