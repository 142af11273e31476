import { Command } from 'commander';
import { type CliContext, withInstallation } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';
import { jsonOption, printJson, printProse } from './command-options.ts';

interface Options {
  readonly passphrase?: true;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: ['A file that is there stays as it is. With a passphrase, a new master key is of use only to who types that.'],
  settings: ['SIGNING_CREDENTIALS_FILE', 'SIGNING_MASTER_KEY_FILE', 'SIGNING_AUDIT_KEY_FILE', 'SIGNING_MEMORY_LOCK'],
  examples: ['init', 'init --passphrase'],
};

/** `init`: creates the missing files of an installation. */
export function initCommand(context: CliContext): Command {
  const command = new Command('init')
    .description('make a master key, an empty credentials file and an audit key where none are')
    .option('--passphrase', 'give a new master key a passphrase, typed at the terminal at each start of the service')
    .addOption(jsonOption())
    .action(async ({ passphrase, json }: Options) => {
      const files = await withInstallation(context, (installation) => installation.initialise(passphrase));
      if (json) return printJson(context, { files });
      for (const { purpose, file, created } of files) {
        context.print(`${created ? 'made ' : 'found'}  ${purpose.padEnd(16)}  ${file}\n`);
      }
      if (passphrase && files.some(({ purpose, created }) => purpose === 'master key' && !created)) {
        await printProse(
          context,
          '\nThe master key that was found stays as it is. To give it a passphrase: master-key rotate --passphrase.\n',
        );
      }
      for (const { file } of files.filter(({ purpose }) => purpose === 'audit public key')) {
        await printProse(
          context,
          `\nGive ${file} to the auditors: with it they check what the service signs in its audit file.\n`,
        );
      }
      await printProse(
        context,
        '\nKeep the master key out of backups of the credentials file: together they open every key.\n' +
          'Next: platform add, then account add (see --help of each).\n',
      );
    });
  return addManual(command, MANUAL);
}
