import { Command } from 'commander';
import { type CliContext, withInstallation } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';

/** `init`: makes the files that a service needs, where there are none. */
export function initCommand(context: CliContext): Command {
  return new Command('init')
    .description('make a master key and an empty credentials file where none are')
    .addOption(jsonOption())
    .addHelpText('after', example('init'))
    .action(async ({ json }: { json?: true }) => {
      const files = await withInstallation(context, (installation) => installation.initialise());
      if (json) return printJson(context, { files });
      for (const { purpose, file, created } of files) {
        context.print(`${created ? 'made ' : 'found'}  ${purpose.padEnd(16)}  ${file}\n`);
      }
      context.print(
        '\nKeep the master key out of backups of the credentials file: together they open every key.\n' +
          'Next: platform add, then account add (see --help of each).\n',
      );
    });
}
