import { createAuditKey } from '../adapters/audit/audit-key.ts';
import type { InitialisedFile } from '../adapters/cli/cli-context.ts';
import { initialiseFiles } from '../adapters/credentials/editor/initialise-files.ts';
import { PassphraseDialog } from '../adapters/credentials/keyring/passphrase-dialog.ts';
import { HelperWrappingKeys } from '../adapters/key-helper/helper-wrapping-keys.ts';
import type { PassphrasePrompt } from '../adapters/passphrase/passphrase-prompt.ts';
import type { MasterKeyProtection } from '../domain/model/master-key-rotation.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Creates the missing files of an installation; never overwrites one.
 * @throws OperatorError if an existing master key has another protection
 */
export async function initialiseInstallation(
  { credentialsFile, masterKeyFile, auditKeyFile, wrappingKeys: settings }: Settings,
  prompt: PassphrasePrompt,
  wanted: MasterKeyProtection | null,
): Promise<readonly InitialisedFile[]> {
  const dialog = new PassphraseDialog(masterKeyFile, prompt);
  try {
    const wrappingKeys = new HelperWrappingKeys(settings);
    const made = await initialiseFiles(credentialsFile, masterKeyFile, wanted, { dialog, wrappingKeys });
    const audit = createAuditKey(auditKeyFile);
    return [
      { purpose: 'master key', file: masterKeyFile, created: made.masterKey },
      { purpose: 'credentials file', file: credentialsFile, created: made.credentials },
      { purpose: 'audit key', ...audit.key },
      { purpose: 'audit public key', ...audit.publicKey },
    ];
  } finally {
    dialog.close();
  }
}
