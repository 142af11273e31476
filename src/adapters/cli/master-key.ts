import { OperatorError } from '../../domain/model/errors.ts';
import type { MasterKeyInfo, MasterKeyReport } from '../../domain/model/master-key-rotation.ts';
import { SEALING_SETTINGS } from './command-options.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { flag } from './inputs.ts';
import {
  masterKeySourceOption,
  SOURCE_NOTE,
  SOURCE_SETTINGS,
  toProtection,
  wrappingKeyOption,
} from './master-key/source-options.ts';
import { formatKeys, withProgress } from './terminal/progress-line.ts';
import type { Column } from './terminal/table.ts';

/** `master-key status`: shows the keyring and the accounts under each key. */
const status = defineCommand({
  description: 'show the master keys and the number of accounts sealed under each',
  manual: {
    notes: ['It lists the keys in the order of the master key file, and does not prompt for a passphrase.'],
    settings: SEALING_SETTINGS,
    exitCodes: {
      0: 'the master key of every sealed account is in the file',
      2: 'rejected: standard error has the reason; or a master key is missing, so that accounts cannot be loaded',
    },
    examples: ['master-key status', 'master-key status --json'],
  },
  run: async (_, session) => {
    const report = await (await session.use('masterKeys')).report();
    if (report.missing.length > 0) session.endAs('refused');
    return report;
  },
  text: (report, page) => {
    const keys = report.keys.map(({ id, accounts, hasPassphrase, source }, index) => [
      ...[index === 0 ? 'first' : 'other', id, String(accounts), hasPassphrase ? 'yes' : 'no', source],
    ]);
    const missing = report.missing.map(({ id, accounts }) => ['missing', id, String(accounts), '', '']);
    return `${page.table(COLUMNS, [...keys, ...missing])}\n${page.prose(`${report.file}: ${formatNextStep(report)}\n`)}`;
  },
});

const COLUMNS: readonly Column[] = [
  { heading: 'MASTER KEY', style: (role) => (role === 'missing' ? 'red' : undefined) },
  { heading: 'ID' },
  { heading: 'ACCOUNTS' },
  { heading: 'PASSPHRASE' },
  { heading: 'SOURCE', truncate: 'end' },
];

function formatNextStep({ keys: [, ...others], missing }: MasterKeyReport): string {
  if (missing.length > 0) return 'accounts under a missing master key cannot be loaded; restore that key.';
  if (others.length === 0) return 'one master key.';
  if (others.some(({ accounts }) => accounts > 0)) {
    return 'accounts are sealed under other master keys than the first. To seal them under a new one, run signing-service master-key rotate.';
  }
  return 'all accounts are sealed under the first master key. When every replica has reloaded, run signing-service master-key retire --yes.';
}

/** `master-key rotate`: seals every account under a new master key. */
const rotate = defineCommand({
  description: 'create a new master key and reseal every account under it; the other keys are kept until retired',
  inputs: {
    passphrase: flag(
      '--passphrase',
      'protect the new master key with a new passphrase (default: that of the first one, if any)',
    ),
    masterKeySource: masterKeySourceOption('the new master key (default: as the first one)'),
    wrappingKey: wrappingKeyOption(),
  },
  manual: {
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
  },
  run: async (values, session) => {
    const protection = toProtection(values);
    const masterKeys = await session.use('masterKeys');
    const rotation = await withProgress(session, formatKeys, (onProgress) => masterKeys.rotate(protection, onProgress));
    return { rotation, location: masterKeys.location };
  },
  document: ({ rotation }) => rotation,
  text: ({ rotation: { file, primary, previous, accounts }, location }, page) =>
    `New master key created; accounts resealed: ${accounts}.\n\n` +
    page.facts([
      ['new master key', primary.id],
      ['previous master key', previous.id],
      ['master key file', file],
      ['credentials', location],
    ]) +
    page.prose(`
Next:
1. If replicas have their own files, copy these to each, in this order (in another order, a reload may fail meanwhile):
   ${file}, then
   ${location}.
2. ${primary.hasPassphrase ? RESTART : RELOAD}
3. When all have done so, and every other credentials file under the same master key is rotated (retire checks this
   one only), run signing-service master-key retire --yes. Keep a copy of the other keys elsewhere as long as you keep
   backups of the credentials file that need them.
`),
});

const RESTART = 'Restart each service and type the passphrase: a reload cannot prompt for it.';
const RELOAD =
  'Reload each service (POST /api/v1/config/reload, or SIGHUP); restart it if systemd passes it the master key as a credential.';

/** `master-key retire`: removes all master keys but the first, if nothing is sealed under them. */
const retire = defineCommand({
  description: 'remove every master key but the first, if no account is sealed under them',
  inputs: { yes: flag('--yes', 'remove them; required, because a removed key cannot be restored') },
  manual: {
    notes: [
      'It checks one credentials file. First rotate every other file under the same master keys (master-key rotate with its SIGNING_CREDENTIALS_FILE): keys sealed under a removed master key cannot be opened.',
      'Without --yes, it names what it would remove.',
    ],
    settings: SEALING_SETTINGS,
    exitCodes: { 2: 'rejected, or --yes is missing: standard error has the reason; nothing was removed' },
    examples: ['master-key retire', 'master-key retire --yes'],
  },
  run: async ({ yes }, session) => {
    const masterKeys = await session.use('masterKeys');
    if (!yes) throw toRefusal(await masterKeys.report());
    return { retirement: await masterKeys.retire(), location: masterKeys.location };
  },
  document: ({ retirement }) => retirement,
  text: ({ retirement: { file, retired }, location }, page) =>
    page.prose(
      `Removed from ${file}: ${formatIds(retired)}. Replace this file on every replica, too.\n` +
        `Only ${location} was checked. ${UNREADABLE}\n`,
    ),
});

const UNREADABLE =
  'Other credentials files, replicas that have not reloaded and backups become unreadable if they are sealed under a removed key: keep a copy of it elsewhere as long as you need them.';

/** Names what `--yes` removes. */
function toRefusal({ file, keys: [, ...others] }: MasterKeyReport): OperatorError {
  return new OperatorError(
    others.length === 0
      ? `${file} has one master key; there is none to remove.`
      : `Nothing was removed. This would permanently remove ${formatIds(others)} from ${file}. ${UNREADABLE} To remove them, run signing-service master-key retire --yes.`,
  );
}

function formatIds(keys: readonly MasterKeyInfo[]): string {
  return `master ${keys.length === 1 ? 'key' : 'keys'} ${keys.map(({ id }) => id).join(', ')}`;
}

/** The master key and its rotation. */
export const MASTER_KEY_GROUP: CommandGroup = {
  description: 'show and rotate the master key',
  examples: ['master-key status', 'master-key rotate'],
  commands: { status, rotate, retire },
};
