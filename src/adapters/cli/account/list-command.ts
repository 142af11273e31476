import { Command } from 'commander';
import type { AccountListing } from '../../../domain/services/account-administration-service.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import type { Column } from '../terminal/table.ts';
import { statusStyle } from './account-status.ts';

/** Length of a Starknet key. Those of RSA and ES256 are longer, and begin alike. */
const MAX_KEY_LENGTH = 66;

const MANUAL: CommandManual = {
  notes: [
    `Public keys of more than ${MAX_KEY_LENGTH} characters are truncated. On a terminal, other long values are as well, and a narrow one leaves the key ID out. --wide and --json show everything.`,
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
      const { accounts } = await withInstallation(context, async ({ accounts }) => (await accounts()).list());
      const shown = accounts.filter(({ platformId }) => platform === undefined || platformId === platform);
      if (json) return printJson(context, { accounts: shown, total: shown.length });
      const { renderTable } = await import('../terminal/table.ts');
      const { truncateMiddle } = await import('../terminal/width.ts');
      const terminal = { ...context.output, columns: wide ? null : context.output.columns };
      const shorten = (key: string) => (wide ? key : truncateMiddle(key, MAX_KEY_LENGTH));
      const rows = shown.map((account) => toRow(account, shorten));
      context.print(rows.length === 0 ? 'No accounts.\n' : renderTable(COLUMNS, rows, terminal));
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
  { heading: 'KEY ID', optional: true },
  { heading: 'KEY/ADDRESS', truncate: 'middle' },
];

function toRow(account: AccountListing['accounts'][number], shorten: (publicKey: string) => string): readonly string[] {
  const { platformId, accountId, alias, environment, algorithm, publicKey, address, keyId } = account;
  const key = address ?? publicKey ?? '(derived at load)';
  return [platformId, accountId, alias, toStatus(account), environment, algorithm, keyId ?? '-', shorten(key)];
}

function toStatus({ status, platformStatus }: AccountListing['accounts'][number]): string {
  return status === 'active' && platformStatus === 'disabled' ? 'platform disabled' : status;
}
