import type { Command } from 'commander';
import type { Platform } from '../../../domain/model/platform.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';
import { formatWarnings } from '../warnings.ts';
import { accountStatusCommand, formatStatus } from './account-status.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly json?: true;
}

/** `account enable`: lets an account sign again. */
export function accountEnableCommand(context: CliContext): Command {
  const command = accountStatusCommand('enable', 'enable a disabled account')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      const { platforms } = await withInstallation(context, async (installation) => {
        const administration = await installation.accounts();
        await administration.setStatus(platform, account, 'active');
        return administration.list();
      });
      const warnings = warnPlatformDisabled(platforms, platform);
      const named = { platformId: platform, accountId: account, status: 'active' };
      if (json) return printJson(context, { account: named, cautions: warnings });
      await printProse(
        context,
        `Account ${account} of ${platform} is ${formatStatus(context, 'active')}.\n${formatWarnings(warnings, context.output)}${RELOAD_HINT}`,
      );
    });
  return addManual(command, {
    settings: CREDENTIALS_SETTINGS,
    examples: ['account enable --platform my-exchange --account main'],
  });
}

function warnPlatformDisabled(platforms: readonly Platform[], platformId: string): readonly string[] {
  const platform = platforms.find((one) => one.platformId === platformId);
  if (platform?.status !== 'disabled') return [];
  return [`its platform is disabled, so it signs nothing; to enable it, run platform enable --platform ${platformId}`];
}
