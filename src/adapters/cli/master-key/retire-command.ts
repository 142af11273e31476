import { Command } from 'commander';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { MasterKeyInfo, MasterKeyReport, MasterKeyRetirement } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';

const MANUAL: CommandManual = {
  notes: [
    'It checks one credentials file. First rotate every other file under the same master key (master-key rotate with its SIGNING_CREDENTIALS_FILE): keys sealed under the previous master key cannot be opened without it.',
    'It also removes temporary files (.tmp) of killed commands. Without --yes, it names what it would remove.',
  ],
  settings: SEALING_SETTINGS,
  exitCodes: { 2: 'rejected, or --yes is missing: standard error has the reason; nothing was removed' },
  examples: ['master-key retire', 'master-key retire --yes'],
};

interface Options {
  readonly yes?: true;
  readonly json?: true;
}

/** `master-key retire`: removes an unused previous master key and leftovers of killed commands. */
export function masterKeyRetireCommand(context: CliContext): Command {
  const command = new Command('retire')
    .description('remove the previous master key, if no account is sealed under it')
    .option('--yes', 'remove it; required, because a removed key cannot be restored')
    .addOption(jsonOption())
    .action(async ({ yes, json }: Options) => {
      await withInstallation(context, async (installation) => {
        const masterKeys = await installation.masterKeys();
        if (!yes) assertNothingToRemove(await masterKeys.report());
        const retirement = await masterKeys.retire();
        if (json) return printJson(context, retirement);
        await printProse(context, formatSummary(retirement, masterKeys.location));
      });
    });
  return addManual(command, MANUAL);
}

/** @throws EditRefusedError naming what `--yes` removes */
function assertNothingToRemove({ previous, leftovers }: MasterKeyReport): void {
  const key = previous === null ? [] : [`the previous master key ${previous.id} (${previous.file})`];
  const removed = [...key, ...leftovers];
  if (removed.length === 0) return;
  throw new EditRefusedError(
    `Nothing was removed. This would permanently remove ${removed.join(', ')}. ` +
      'If no other credentials file and no backup needs it, run the command again with --yes.',
  );
}

function formatSummary({ retired, leftovers }: MasterKeyRetirement, location: string): string {
  const removed = leftovers.map((file) => `Removed temporary files of a killed command: ${file}\n`).join('');
  if (retired === null) return `${removed}There is no previous master key.\n`;
  return `${removed}${formatRetired(retired, location)}`;
}

function formatRetired({ id, file }: MasterKeyInfo, location: string): string {
  return (
    `Previous master key ${id} removed from ${file}. Also remove it from every replica.\n` +
    'Backups of the credentials file from before the rotation can be opened with that key only.\n' +
    `Only ${location} was checked. If another credentials file under the same master key was not rotated,\n` +
    'restore the previous key from a backup and rotate that file.\n'
  );
}
