import { createAuditKey } from '../adapters/audit/audit-key.ts';
import type { InitialisedFile } from '../adapters/cli/cli-context.ts';
import { initialiseFiles } from '../adapters/credentials/editor/initialise-files.ts';
import type { Keyring } from '../adapters/credentials/keyring/keyring.ts';
import type { MasterKeyProtection } from '../domain/model/master-key-rotation.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Creates the missing files of an installation; never overwrites one.
 * @throws OperatorError if an existing master key has another protection
 */
export async function initialiseInstallation(
  { credentialsFile, auditKeyFile }: Settings,
  keyring: Keyring,
  wanted: MasterKeyProtection | null,
): Promise<readonly InitialisedFile[]> {
  const created = await initialiseFiles(credentialsFile, keyring, wanted);
  const audit = createAuditKey(auditKeyFile);
  return [
    { purpose: 'master key', file: keyring.file, created: created.masterKey },
    { purpose: 'credentials file', file: credentialsFile, created: created.credentials },
    { purpose: 'audit key', ...audit.key },
    { purpose: 'audit public key', ...audit.publicKey },
  ];
}
