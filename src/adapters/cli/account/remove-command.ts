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
    'Only a disabled account is removed: disable it first, and wait until nobody misses it. Its key goes with it; where that key is nowhere else, what belongs to it is out of reach for good. A backup of the credentials file from before still has it.',
    'A permissions list that names the account stays as it is. A running service refuses a reload that takes away more accounts than SIGNING_RELOAD_MAX_REMOVED allows.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'account disable --platform my-exchange --account main',
    'account remove --platform my-exchange --account main',
  ],
};

/** `account remove`: removes a disabled account and its key for good. */
export function accountRemoveCommand(context: CliContext): Command {
  const command = new Command('remove')
    .description('remove a disabled account, and its key, for good')
    .requiredOption('--platform <id>', 'its platform')
    .requiredOption('--account <id>', 'its id')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      await withInstallation(context, ({ administration }) => administration.removeAccount(platform, account));
      if (json) return printJson(context, { account: { platformId: platform, accountId: account }, removed: true });
      await printProse(context, `Account ${account} of ${platform} is removed, and its key with it.\n${RELOAD_HINT}`);
    });
  return addManual(command, MANUAL);
}
