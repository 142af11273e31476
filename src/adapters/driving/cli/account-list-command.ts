import { Command } from 'commander';
import type { CredentialListing } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';
import { textTable } from './text-table.ts';
import { withAddress } from './with-address.ts';

/** `account list`: shows the accounts of the credentials file, never a key. */
export function accountListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list the accounts in the credentials file')
    .option('--platform <id>', 'only those of this platform')
    .addOption(jsonOption())
    .addHelpText('after', example('account list', 'account list --platform my-exchange --json'))
    .action(async ({ platform, json }: { platform?: string; json?: true }) => {
      const { accounts } = await withInstallation(context, ({ administration }) => administration.list());
      const shown = accounts.filter(({ platformId }) => platform === undefined || platformId === platform);
      if (json) {
        return printJson(context, { accounts: await Promise.all(shown.map(withAddress)), total: shown.length });
      }
      context.print(shown.length === 0 ? 'No accounts.\n' : textTable([HEADINGS, ...shown.map(row)]));
    });
}

const HEADINGS = ['PLATFORM', 'ACCOUNT', 'ALIAS', 'STATUS', 'ENVIRONMENT', 'ALGORITHM', 'PUBLIC KEY'];

function row(account: CredentialListing['accounts'][number]): readonly string[] {
  const { platformId, accountId, alias, status, environment, algorithm, publicKey } = account;
  return [platformId, accountId, alias, status, environment, algorithm, publicKey ?? '(derived at load)'];
}
