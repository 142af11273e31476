import { Command } from 'commander';
import type { AccountStatus } from '../../../domain/model/account.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, RELOAD_HINT } from './command-parts.ts';

/** `account disable` and `account enable`: whether an account may sign. */
export function accountStatusCommand(context: CliContext, name: 'disable' | 'enable', status: AccountStatus): Command {
  return new Command(name)
    .description(name === 'disable' ? 'refuse signatures for an account, keeping its key' : 'let an account sign again')
    .requiredOption('--platform <id>', 'its platform')
    .requiredOption('--account <id>', 'its id')
    .addHelpText('after', example(`account ${name} --platform my-exchange --account main`))
    .action(async ({ platform, account }: { platform: string; account: string }) => {
      await withInstallation(context, ({ administration }) => administration.setStatus(platform, account, status));
      context.print(`Account ${account} of ${platform} is ${status}.\n${RELOAD_HINT}`);
    });
}
