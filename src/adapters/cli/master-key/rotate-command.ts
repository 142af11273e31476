import { Command } from 'commander';
import type { MasterKeyRotation, WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import { formatKeys, withProgress } from '../terminal/progress-line.ts';
import {
  masterKeySourceOption,
  SOURCE_NOTE,
  SOURCE_SETTINGS,
  toProtection,
  wrappingKeyOption,
} from './source-options.ts';

interface Options {
  readonly passphrase?: true;
  readonly masterKeySource?: 'file' | WrappingSource;
  readonly wrappingKey?: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'If the command fails or is interrupted, the files still open every account; run it again, which creates another key. At the end it prints the next steps.',
    SOURCE_NOTE,
  ],
  settings: [...SEALING_SETTINGS, ...SOURCE_SETTINGS],
  exitCodes: { 2: 'rejected or failed: standard error shows the reason' },
  examples: [
    'master-key rotate',
    'master-key rotate --passphrase',
    'master-key rotate --master-key-source vault-transit --wrapping-key transit/signing-service',
  ],
};

/** `master-key rotate`: seals every account under a new master key. */
export function masterKeyRotateCommand(context: CliContext): Command {
  const command = new Command('rotate')
    .description('create a new master key and reseal every account under it; the other keys are kept until retired')
    .option('--passphrase', 'protect the new master key with a new passphrase (default: that of the first one, if any)')
    .addOption(masterKeySourceOption('the new master key (default: as the first one)'))
    .addOption(wrappingKeyOption())
    .addOption(jsonOption())
    .action(async ({ json, ...protection }: Options) => {
      const wanted = toProtection(protection);
      await withInstallation(context, async (installation) => {
        const masterKeys = await installation.masterKeys();
        const rotation = await withProgress(context, formatKeys, (onProgress) => masterKeys.rotate(wanted, onProgress));
        if (json) return printJson(context, rotation);
        await printProse(
          context,
          `${formatSummary(rotation, masterKeys.location)}${formatNextSteps(rotation, masterKeys.location)}`,
        );
      });
    });
  return addManual(command, MANUAL);
}

function formatSummary({ file, primary, previous, accounts }: MasterKeyRotation, location: string): string {
  return (
    `New master key created; accounts resealed: ${accounts}.\n\n` +
    `new master key       ${primary.id}\n` +
    `previous master key  ${previous.id}\n` +
    `master key file      ${file}\n` +
    `credentials          ${location}\n`
  );
}

function formatNextSteps({ file, primary }: MasterKeyRotation, location: string): string {
  const reload = primary.hasPassphrase
    ? 'Restart each service and type the passphrase: a reload cannot prompt for it.'
    : 'Reload each service (POST /api/v1/config/reload, or SIGHUP); restart it if systemd passes it the master key as a credential.';
  return `
Next:
1. If replicas have their own files, copy these to each, in this order (in another order, a reload may fail meanwhile):
   ${file}, then
   ${location}.
2. ${reload}
3. When all have done so, and every other credentials file under the same master key is rotated (retire checks this
   one only), run signing-service master-key retire --yes. Keep a copy of the other keys elsewhere as long as you keep
   backups of the credentials file that need them.
`;
}
