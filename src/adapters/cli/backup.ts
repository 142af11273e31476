import type { LeftOutFile } from './backup/manifest.ts';
import { defineCommand } from './define-command.ts';
import { argument, text } from './inputs.ts';

const FOLDERS = {
  installation: argument('<folder>', 'folder of the backup'),
  masterKey: text('--master-key <folder>', 'folder of its own for the master key file'),
  auditKey: text('--audit-key <folder>', 'folder of its own for the private audit key'),
};

const COMMON = {
  settings: ['SIGNING_CREDENTIALS_FILE', 'SIGNING_MASTER_KEY_FILE', 'SIGNING_AUDIT_KEY_FILE', 'SIGNING_AUDIT_FILE'],
  exitCodes: { 2: 'rejected, or a file could not be written (see standard error); what was written was removed' },
} as const;

/** `backup`: copies an installation, private keys only into folders of their own. */
export const backupCommand = defineCommand({
  description: 'back up the credentials, the settings and the public audit keys',
  inputs: FOLDERS,
  manual: {
    ...COMMON,
    notes: [
      'The folders must be new or empty. Copies the credentials file and the public files that settings name; it leaves out private keys, passwords, programs and the audit log, and names them: manifest.json lists what is there and what is not.',
      'The folder and the master key file together open every key: keep them apart. The service and other commands may run meanwhile.',
      'The digests in the manifest detect damage, not a change by someone who can write there.',
    ],
    examples: ['backup backup-2026-12-01', 'backup /mnt/a/signing --master-key /mnt/b/signing-key'],
  },
  run: async (folders, session) => (await session.use('backups')).backUp(folders),
  text: ({ files, leftOut, masterKeys }, page) =>
    [
      page.facts(files.map(({ purpose, copy }) => [purpose, copy])),
      leftOut.length === 0 ? '' : page.prose(`\nLeft out:\n${formatLeftOut(leftOut)}`),
      ...masterKeys.map(({ id, accounts }) =>
        page.prose(`\nKeep master key ${id} as long as this backup: it opens the keys (accounts: ${accounts}).\n`),
      ),
    ].join(''),
});

/** `restore`: puts a backup where the settings have its files. */
export const restoreCommand = defineCommand({
  description: 'restore a backup into empty places',
  inputs: FOLDERS,
  manual: {
    ...COMMON,
    notes: [
      'Verifies the backup first. Writes to the paths of the present settings, over no existing file; never to audit files, budgets or the replay guard. The files belong to the user of the command, mode 0600.',
      'Afterwards it says what is to be checked: the backup does not know what was removed, disabled or replaced since.',
    ],
    examples: ['restore backup-2026-12-01', 'restore /mnt/a/signing --master-key /mnt/b/signing-key'],
  },
  run: async (folders, session) => (await session.use('backups')).restore(folders),
  text: ({ files, time, serviceVersion, leftOut, settings, missingMasterKeys, budgets }, page) => {
    const steps = [
      'Accounts that were removed or disabled since are as before, with their permissions; keys and API keys that were replaced since are the old ones. Check `signing-service account list`: disable accounts, replace keys.',
      ...missingMasterKeys.map(
        ({ id, accounts }) =>
          `Put the line of master key ${id} into the master key file (SIGNING_MASTER_KEY_FILE): it opens keys (accounts: ${accounts}).`,
      ),
      'If the master key was rotated since, an old one is in use again: run `signing-service master-key rotate`, and retire the others.',
      'Authorities and client certificates that were removed since are trusted again, and tokens may have expired: check them.',
      `These files are not in the backup:\n${formatLeftOut(leftOut)}`,
      `Compare the settings; the backup had:\n${settings.map((line) => `  ${line}\n`).join('')}`,
      budgets === null
        ? 'Budgets begin at zero: what was spent in their current windows is not known here.'
        : `Budgets go on from ${budgets}.`,
      'Run `signing-service doctor`, then start the service.',
    ].filter((step) => !step.endsWith(':\n'));
    return [
      page.facts(files.map(({ purpose, path }) => [purpose, path])),
      page.prose(`\nRestored as of ${time} (version ${serviceVersion}). Next:\n`),
      ...steps.map((step, index) => page.prose(`${index + 1}. ${step.trimEnd()}\n`)),
    ].join('');
  },
});

function formatLeftOut(files: readonly LeftOutFile[]): string {
  return files.map(({ path, reason }) => `  ${path}: ${reason}\n`).join('');
}
