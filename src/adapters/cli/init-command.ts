import { Command } from 'commander';
import type { WrappingSource } from '../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';
import { jsonOption, printJson, printProse } from './command-options.ts';
import {
  masterKeySourceOption,
  SOURCE_NOTE,
  SOURCE_SETTINGS,
  toProtection,
  wrappingKeyOption,
} from './master-key/source-options.ts';

interface Options {
  readonly passphrase?: true;
  readonly masterKeySource?: 'file' | WrappingSource;
  readonly wrappingKey?: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'Existing files are not changed. With --master-key-source, an existing master key must have that source and wrapping key; otherwise the command fails and changes nothing.',
    SOURCE_NOTE,
  ],
  settings: [
    'SIGNING_CREDENTIALS_FILE',
    'SIGNING_MASTER_KEY_FILE',
    ...SOURCE_SETTINGS,
    'SIGNING_AUDIT_KEY_FILE',
    'SIGNING_MEMORY_LOCK',
  ],
  examples: [
    'init',
    'init --passphrase',
    'init --master-key-source vault-transit --wrapping-key transit/signing-service',
  ],
};

/** `init`: creates the missing files of an installation. */
export function initCommand(context: CliContext): Command {
  const command = new Command('init')
    .description('create a master key, an empty credentials file and an audit key, unless they exist')
    .option('--passphrase', 'protect a new master key with a passphrase, which the service prompts for at each start')
    .addOption(masterKeySourceOption('a new master key'))
    .addOption(wrappingKeyOption())
    .addOption(jsonOption())
    .action(async ({ passphrase, json, ...protection }: Options) => {
      const wanted = toProtection({ passphrase, ...protection });
      const files = await withInstallation(context, (installation) => installation.initialise(wanted));
      if (json) return printJson(context, { files });
      for (const { purpose, file, created } of files) {
        context.print(`${created ? 'created' : 'exists '}  ${purpose.padEnd(16)}  ${file}\n`);
      }
      if (passphrase && files.some(({ purpose, created }) => purpose === 'master key' && !created)) {
        await printProse(
          context,
          '\nThe existing master key was not changed. To protect it with a passphrase, run master-key rotate --passphrase.\n',
        );
      }
      for (const { file } of files.filter(({ purpose }) => purpose === 'audit public key')) {
        await printProse(context, `\nGive ${file} to your auditors: they verify the audit log with it.\n`);
      }
      await printProse(
        context,
        '\nKeep the master key apart from backups of the credentials file: together they decrypt every key. See backup --help.\n' +
          'Next, add a platform and an account: see platform add --help and account add --help.\n',
      );
    });
  return addManual(command, MANUAL);
}
