import type { Command } from 'commander';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';
import { accountStatusCommand, formatStatus } from './account-status.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly json?: true;
}

/** `account enable`: lets an account sign again. */
export function accountEnableCommand(context: CliContext): Command {
  const command = accountStatusCommand('enable', 'let an account sign again')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      await withInstallation(context, ({ administration }) => administration.setStatus(platform, account, 'active'));
      if (json) return printJson(context, { account: { platformId: platform, accountId: account, status: 'active' } });
      await printProse(
        context,
        `Account ${account} of ${platform} is ${formatStatus(context, 'active')}.\n${RELOAD_HINT}`,
      );
    });
  return addManual(command, {
    settings: CREDENTIALS_SETTINGS,
    examples: ['account enable --platform my-exchange --account main'],
  });
}
