import { Command } from 'commander';
import type { MasterKeyInfo, MasterKeyRetirement } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';

const MANUAL: CommandManual = {
  notes: [
    'It looks at one credentials file. Rotate every other one under the same master key first (master-key rotate, with its SIGNING_CREDENTIALS_FILE); what is still sealed under the previous key does not open without it.',
    'Files that a killed command left beside the credentials file and the master key files (.tmp) are removed, too.',
  ],
  settings: SEALING_SETTINGS,
  examples: ['master-key retire'],
};

/** `master-key retire`: removes an unused previous master key and leftovers of killed commands. */
export function masterKeyRetireCommand(context: CliContext): Command {
  const command = new Command('retire')
    .description(
      'remove the previous master key, when no account is sealed under it any more, and what killed commands left',
    )
    .addOption(jsonOption())
    .action(async ({ json }: { json?: true }) => {
      await withInstallation(context, async ({ masterKeys }) => {
        const retirement = await masterKeys.retire();
        if (json) return printJson(context, retirement);
        await printProse(context, formatSummary(retirement, masterKeys.location));
      });
    });
  return addManual(command, MANUAL);
}

function formatSummary({ retired, leftovers }: MasterKeyRetirement, location: string): string {
  const removed = leftovers.map((file) => `Removed what a killed command had left: ${file}\n`).join('');
  if (retired === null) return `${removed}There is no previous master key.\n`;
  return `${removed}${formatRetired(retired, location)}`;
}

function formatRetired({ id, file }: MasterKeyInfo, location: string): string {
  return (
    `The previous master key ${id} is removed from ${file}. Remove it from every replica, too.\n` +
    'Backups of the credentials file from before the rotation open with that key only.\n' +
    `This looked at ${location} only. Other credentials files under the same master key have to be rotated before: if one\n` +
    'was not, put the previous key back into its file from a backup, and rotate that one.\n'
  );
}
