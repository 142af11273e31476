import { createAuditKey } from '../adapters/audit/audit-key.ts';
import type { InitialisedFile } from '../adapters/cli/cli-context.ts';
import { initialiseFiles } from '../adapters/credentials/editor/initialise-files.ts';
import { PassphraseDialog } from '../adapters/credentials/master-key/passphrase-dialog.ts';
import { assertExistingProtection } from '../adapters/credentials/master-key/requested-protection.ts';
import { createWrappingKeyLoader } from '../adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import type { PassphrasePrompt } from '../adapters/passphrase/passphrase-prompt.ts';
import type { MasterKeyProtection } from '../domain/model/master-key-rotation.ts';
import type { Settings } from './settings/settings.ts';

/** Protection of a new master key. */
interface InitialProtection {
  /** Asks for a passphrase; null: without one. */
  readonly prompt: PassphrasePrompt | null;
  /** Undefined: its file's mode. */
  readonly protection: MasterKeyProtection | undefined;
}

/**
 * Creates the missing files of an installation; never overwrites one.
 * @throws EditRefusedError if an existing master key has another protection
 */
export async function initialiseInstallation(
  { credentialsFile, masterKeyFile, auditKeyFile, wrappingKeys }: Settings,
  { prompt, protection }: InitialProtection,
): Promise<readonly InitialisedFile[]> {
  if (protection !== undefined) assertExistingProtection(masterKeyFile, protection);
  const envelope =
    protection === undefined || protection.source === 'file'
      ? null
      : { ...protection, load: createWrappingKeyLoader(wrappingKeys) };
  const dialog = prompt === null ? null : new PassphraseDialog(prompt);
  try {
    const made = await initialiseFiles(credentialsFile, masterKeyFile, dialog, envelope);
    const audit = createAuditKey(auditKeyFile);
    return [
      { purpose: 'master key', file: masterKeyFile, created: made.masterKeyFile === 'created' },
      { purpose: 'credentials file', file: credentialsFile, created: made.credentialsFile === 'created' },
      { purpose: 'audit key', ...audit.key },
      { purpose: 'audit public key', ...audit.publicKey },
    ];
  } finally {
    dialog?.close();
  }
}
