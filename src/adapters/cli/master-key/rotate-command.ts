import { Command } from 'commander';
import type { MasterKeyProtection, MasterKeyRotation } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import { formatSteps, withProgress } from '../terminal/progress-line.ts';
import {
  masterKeySourceOption,
  SOURCE_NOTE,
  SOURCE_SETTINGS,
  toProtection,
  wrappingKeyOption,
} from './source-options.ts';

interface Options {
  readonly passphrase?: true;
  readonly masterKeySource?: MasterKeyProtection['source'];
  readonly wrappingKey?: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'If the command is interrupted, the files remain usable; run it again to finish the rotation. At the end it prints the next steps.',
    SOURCE_NOTE,
  ],
  settings: [...SEALING_SETTINGS, ...SOURCE_SETTINGS],
  exitCodes: { 2: 'rejected or interrupted: standard error shows the reason and the current state' },
  examples: [
    'master-key rotate',
    'master-key rotate --passphrase',
    'master-key rotate --master-key-source vault-transit --wrapping-key transit/signing-service',
  ],
};

/** `master-key rotate`: seals every account under a new master key. */
export function masterKeyRotateCommand(context: CliContext): Command {
  const command = new Command('rotate')
    .description('create a new master key and reseal every account under it; the previous key is kept until retired')
    .option(
      '--passphrase',
      'protect the new master key with a new passphrase (default: the current passphrase, if any)',
    )
    .addOption(masterKeySourceOption('the new master key (default: as the current one)'))
    .addOption(wrappingKeyOption())
    .addOption(jsonOption())
    .action(async ({ passphrase, json, ...protection }: Options) => {
      const wanted = toProtection({ passphrase, ...protection });
      await withInstallation(context, async (installation) => {
        const masterKeys = await installation.masterKeys();
        const rotation = await withProgress(context, formatSteps, (onProgress) =>
          masterKeys.rotate(passphrase === true, onProgress, wanted),
        );
        if (json) return printJson(context, rotation);
        await printProse(
          context,
          `${formatSummary(rotation, masterKeys.location)}${formatNextSteps(rotation, masterKeys.location)}`,
        );
        if (passphrase && rotation.outcome === 'finished') await printProse(context, NO_NEW_PASSPHRASE);
        if (wanted !== undefined && rotation.outcome === 'finished') await printProse(context, NO_NEW_SOURCE);
      });
    });
  return addManual(command, MANUAL);
}

const NO_NEW_PASSPHRASE =
  '\nAn interrupted rotation was finished, so --passphrase had no effect. To change the passphrase, retire and rotate again.\n';

const NO_NEW_SOURCE =
  '\nAn interrupted rotation was finished, so --master-key-source had no effect. To change the source, retire and rotate again.\n';

function formatSummary({ outcome, primary, previous, accounts }: MasterKeyRotation, location: string): string {
  const did = outcome === 'made' ? 'New master key created' : 'Interrupted rotation finished';
  return (
    `${did}; accounts resealed: ${accounts}.\n\n` +
    `new master key       ${primary.id}  ${primary.file}\n` +
    `previous master key  ${previous.id}  ${previous.file}\n` +
    `credentials          ${location}\n`
  );
}

function formatNextSteps({ primary, previous }: MasterKeyRotation, location: string): string {
  const reload = primary.hasPassphrase
    ? 'Restart each service and type the passphrase: a reload cannot prompt for it.'
    : 'Reload each service (POST /api/v1/config/reload, or SIGHUP).';
  return `
Next:
1. If replicas have their own files, copy these to each, in this order (in another order, a reload may fail meanwhile):
   ${previous.file}, then
   ${primary.file}, then
   ${location}.
2. ${reload}
3. When all have done so, and every other credentials file under the same master key is rotated (retire checks this
   one only), run signing-service master-key retire --yes. Keep a copy of the previous key elsewhere as long as you keep
   backups of the credentials file that need it.
`;
}
