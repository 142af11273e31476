import { Command } from 'commander';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';

const MANUAL: CommandManual = {
  notes: [
    'Only a platform without accounts can be removed; account remove removes them one by one. To stop signing at once, use platform disable.',
    'Permission entries, policies and budgets that name the platform remain.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['platform remove --platform kraken'],
};

/** `platform remove`: removes a platform without accounts. */
export function platformRemoveCommand(context: CliContext): Command {
  const command = new Command('remove')
    .description('remove a platform that has no accounts')
    .requiredOption('--platform <id>', 'platform ID')
    .addOption(jsonOption())
    .action(async ({ platform, json }: { readonly platform: string; readonly json?: true }) => {
      await withInstallation(context, async ({ configuration }) => (await configuration()).removePlatform(platform));
      if (json) return printJson(context, { platform: { platformId: platform }, removed: true });
      await printProse(context, `Platform ${platform} removed.\n${RELOAD_HINT}`);
    });
  return addManual(command, MANUAL);
}
