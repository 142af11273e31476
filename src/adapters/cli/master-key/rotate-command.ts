import { Command } from 'commander';
import type { MasterKeyRotation } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';
import { formatSteps, withProgress } from '../terminal/progress-line.ts';

interface Options {
  readonly passphrase?: true;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'At every moment, also when it is killed, the service can start with what the files hold; run it again to finish what was interrupted. What to do on replicas is told at the end.',
  ],
  settings: SEALING_SETTINGS,
  exitCodes: { 2: 'refused, or interrupted: standard error says why, and how things are now' },
  examples: ['master-key rotate', 'master-key rotate --passphrase'],
};

/** `master-key rotate`: seals every account under a new master key. */
export function masterKeyRotateCommand(context: CliContext): Command {
  const command = new Command('rotate')
    .description('make a new master key and seal every account under it; the previous one stays readable until retired')
    .option('--passphrase', 'give the new master key a new passphrase (default: the one that it has, if any)')
    .addOption(jsonOption())
    .action(async ({ passphrase, json }: Options) => {
      await withInstallation(context, async ({ masterKeys }) => {
        const rotation = await withProgress(context, formatSteps, (onProgress) =>
          masterKeys.rotate(passphrase === true, onProgress),
        );
        if (json) return printJson(context, rotation);
        await printProse(
          context,
          `${formatSummary(rotation, masterKeys.location)}${formatNextSteps(rotation, masterKeys.location)}`,
        );
        if (passphrase && rotation.outcome === 'finished') await printProse(context, NO_NEW_PASSPHRASE);
      });
    });
  return addManual(command, MANUAL);
}

const NO_NEW_PASSPHRASE =
  '\nThis finished a rotation that was interrupted, so --passphrase changed nothing. To change the passphrase, retire and rotate once more.\n';

function formatSummary({ outcome, primary, previous, accounts }: MasterKeyRotation, location: string): string {
  const did = outcome === 'made' ? 'A new master key was made' : 'An interrupted rotation was finished';
  return (
    `${did}; accounts sealed anew: ${accounts}.\n\n` +
    `new master key       ${primary.id}  ${primary.file}\n` +
    `previous master key  ${previous.id}  ${previous.file}\n` +
    `credentials          ${location}\n`
  );
}

function formatNextSteps({ primary, previous }: MasterKeyRotation, location: string): string {
  const takeUp = primary.hasPassphrase
    ? 'Restart each service and type the passphrase; a reload can not ask for it.'
    : 'Reload each service (POST /api/v1/config/reload, or SIGHUP).';
  return `
Next:
1. Replicas with files of their own: copy to each, in this order (in another, a reload fails meanwhile):
   ${previous.file}, then
   ${primary.file}, then
   ${location}.
2. ${takeUp}
3. When all have done so, and every other credentials file under the same master key is rotated, too (retire looks at
   this one only): signing-service master-key retire. Keep the previous key, elsewhere, as long as backups of the
   credentials file that it opens.
`;
}
