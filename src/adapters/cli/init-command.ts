import { Command } from 'commander';
import type { WrappingSource } from '../../domain/model/master-key-rotation.ts';
import { quoteForShell } from '../files/file-permissions.ts';
import { type CliContext, type TrialTls, withInstallation } from './cli-context.ts';
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
  readonly tls?: true;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'Existing files are not changed. With --master-key-source, an existing master key must have that source and wrapping key; otherwise the command fails and changes nothing.',
    SOURCE_NOTE,
    'With --tls, it also issues a server and a client certificate for a trial, in the folder tls beside the credentials file. They are valid for 30 days. The key of their CA is not kept: for others, move the folder away and run the command again.',
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
    'init --tls',
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
    .option('--tls', 'also create certificates for a trial, valid for 30 days')
    .addOption(jsonOption())
    .action(async ({ passphrase, tls, json, ...protection }: Options) => {
      const wanted = toProtection({ passphrase, ...protection });
      const { files, trial } = await withInstallation(context, async (installation) => {
        const initialised = await installation.initialise(wanted);
        return { files: initialised, trial: tls ? await installation.trialTls() : null };
      });
      if (json) return printJson(context, { files, ...(trial && { tls: trial }) });
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
      if (trial !== null) context.print(formatTrial(trial));
      await printProse(
        context,
        '\nKeep the master key apart from backups of the credentials file: together they decrypt every key. See backup --help.\n' +
          'Next, add a platform and an account: see platform add --help and account add --help.\n',
      );
    });
  return addManual(command, MANUAL);
}

/** Commands that work as typed in the same folder. */
function formatTrial({ folder, created, days, ca, clientCert, clientKey, settings, url, statusUrl }: TrialTls): string {
  const [caFile, cert, key] = [ca, clientCert, clientKey].map(quoteForShell);
  const set = Object.entries(settings).map(([name, file]) => `export ${name}=${quoteForShell(file)}\n`);
  return [
    `\n${created ? 'created' : 'exists '}  TLS for a trial   ${folder}${created ? `, valid for ${days} days` : ''}\n`,
    'The key of the CA was not kept. Set these, start the service, and try it:\n\n',
    ...set,
    `\ncurl --cacert ${caFile} --cert ${cert} --key ${key} ${url}/api/v1/accounts\n`,
    `signing-service status --url ${statusUrl} --ca ${caFile} --cert ${cert} --key ${key}\n`,
  ].join('');
}
