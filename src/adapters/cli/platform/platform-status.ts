import { Command } from 'commander';
import type { AccountStatus } from '../../../domain/model/account.ts';
import { formatStatus } from '../account/account-status.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';

/** A command that gives one platform this status. */
export function platformStatusCommand(
  context: CliContext,
  status: AccountStatus,
  { name, description, notes }: { readonly name: string; readonly description: string; readonly notes: string[] },
): Command {
  const command = new Command(name)
    .description(description)
    .requiredOption('--platform <id>', 'platform ID')
    .addOption(jsonOption())
    .action(async ({ platform, json }: { readonly platform: string; readonly json?: true }) => {
      await withInstallation(context, async ({ configuration }) =>
        (await configuration()).setPlatformStatus(platform, status),
      );
      if (json) return printJson(context, { platform: { platformId: platform, status } });
      await printProse(context, `Platform ${platform} is ${formatStatus(context, status)}.\n${RELOAD_HINT}`);
    });
  return addManual(command, {
    notes,
    settings: CREDENTIALS_SETTINGS,
    examples: [`platform ${name} --platform kraken`],
  });
}
