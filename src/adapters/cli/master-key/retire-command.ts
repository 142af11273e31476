import { Command } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyInfo, MasterKeyReport } from '../../../domain/model/master-key-rotation.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse, SEALING_SETTINGS } from '../command-options.ts';

const MANUAL: CommandManual = {
  notes: [
    'It checks one credentials file. First rotate every other file under the same master keys (master-key rotate with its SIGNING_CREDENTIALS_FILE): keys sealed under a removed master key cannot be opened.',
    'Without --yes, it names what it would remove.',
  ],
  settings: SEALING_SETTINGS,
  exitCodes: { 2: 'rejected, or --yes is missing: standard error has the reason; nothing was removed' },
  examples: ['master-key retire', 'master-key retire --yes'],
};

/** `master-key retire`: removes all master keys but the first, if nothing is sealed under them. */
export function masterKeyRetireCommand(context: CliContext): Command {
  const command = new Command('retire')
    .description('remove every master key but the first, if no account is sealed under them')
    .option('--yes', 'remove them; required, because a removed key cannot be restored')
    .addOption(jsonOption())
    .action(async ({ yes, json }: { yes?: true; json?: true }) => {
      await withInstallation(context, async (installation) => {
        const masterKeys = await installation.masterKeys();
        if (!yes) throw toRefusal(await masterKeys.report());
        const retirement = await masterKeys.retire();
        if (json) return printJson(context, retirement);
        const { file, retired } = retirement;
        await printProse(
          context,
          `Removed from ${file}: ${formatIds(retired)}. Replace this file on every replica, too.\n` +
            `Only ${masterKeys.location} was checked. ${UNREADABLE}\n`,
        );
      });
    });
  return addManual(command, MANUAL);
}

const UNREADABLE =
  'Other credentials files, replicas that have not reloaded and backups become unreadable if they are sealed under a removed key: keep a copy of it elsewhere as long as you need them.';

/** Names what `--yes` removes. */
function toRefusal({ file, keys }: MasterKeyReport): OperatorError {
  const [, ...others] = keys;
  return new OperatorError(
    others.length === 0
      ? `${file} has one master key; there is none to remove.`
      : `Nothing was removed. This would permanently remove ${formatIds(others)} from ${file}. ${UNREADABLE} To remove them, run the command again with --yes.`,
  );
}

function formatIds(keys: readonly MasterKeyInfo[]): string {
  return `master ${keys.length === 1 ? 'key' : 'keys'} ${keys.map(({ id }) => id).join(', ')}`;
}
