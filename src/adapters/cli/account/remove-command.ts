import { Command } from 'commander';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'Only a disabled account can be removed. Its key is removed with it: without another copy of the key, access to everything that it controls is lost. Earlier backups of the credentials file still contain it.',
    'Permission entries that name the account remain. A running service rejects a reload that removes more accounts than SIGNING_RELOAD_MAX_REMOVED allows.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'account disable --platform my-exchange --account main',
    'account remove --platform my-exchange --account main',
  ],
};

/** `account remove`: permanently removes a disabled account and its key. */
export function accountRemoveCommand(context: CliContext): Command {
  const command = new Command('remove')
    .description('permanently remove a disabled account and its key')
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      await withInstallation(context, async ({ accounts }) => (await accounts()).removeAccount(platform, account));
      if (json) return printJson(context, { account: { platformId: platform, accountId: account }, removed: true });
      await printProse(context, `Account ${account} of ${platform} removed, together with its key.\n${RELOAD_HINT}`);
    });
  return addManual(command, MANUAL);
}
