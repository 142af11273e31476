import { Command } from 'commander';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';

/** `master-key retire`: removes the previous master key when nothing is sealed under it. */
export function masterKeyRetireCommand(context: CliContext): Command {
  return new Command('retire')
    .description('remove the previous master key, when no account is sealed under it any more')
    .addOption(jsonOption())
    .addHelpText('after', example('master-key retire'))
    .action(async ({ json }: { json?: true }) => {
      const retired = await withInstallation(context, ({ masterKeys }) => masterKeys.retire());
      if (json) return printJson(context, { retired });
      context.print(
        `The previous master key ${retired.id} is removed from ${retired.file}. Remove it from every replica, too.\n` +
          'Backups of the credentials file from before the rotation open with that key only.\n',
      );
    });
}
