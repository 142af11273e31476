import { Command } from 'commander';
import type { AccountStatus } from '../../../domain/model/account.ts';
import { statusStyle } from './account-status-style.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { withManual } from './command-manual.ts';
import { jsonOption, printJson, printProse, RELOAD_HINT } from './command-parts.ts';
import { styled } from './look.ts';
import { CREDENTIALS_SETTINGS } from './named-settings.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly json?: true;
}

/** `account disable` and `account enable`: whether an account may sign. */
export function accountStatusCommand(context: CliContext, name: 'disable' | 'enable', status: AccountStatus): Command {
  const command = new Command(name)
    .description(name === 'disable' ? 'refuse signatures for an account, keeping its key' : 'let an account sign again')
    .requiredOption('--platform <id>', 'its platform')
    .requiredOption('--account <id>', 'its id')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      await withInstallation(context, ({ administration }) => administration.setStatus(platform, account, status));
      if (json) return printJson(context, { account: { platformId: platform, accountId: account, status } });
      const shown = styled(context.output, statusStyle(status), status);
      await printProse(context, `Account ${account} of ${platform} is ${shown}.\n${RELOAD_HINT}`);
    });
  return withManual(command, {
    settings: CREDENTIALS_SETTINGS,
    examples: [`account ${name} --platform my-exchange --account main`],
  });
}
