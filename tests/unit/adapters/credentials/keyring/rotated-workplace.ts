import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/keyring/master-key-administration.ts';
import { PassphraseDialog } from '../../../../../src/adapters/credentials/keyring/passphrase-dialog.ts';
import { MIN_PASSPHRASE_COST } from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import type { WrappingKeys } from '../../../../../src/ports/wrapping-keys.ts';
import { FixedWrappingKeys } from '../../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';

/** The `master-key` commands in this process, at minimum passphrase cost. */
export function administrationOf(
  { file, masterKeyFile }: Pick<CredentialsWorkplace, 'file' | 'masterKeyFile'>,
  prompt: TypedPassphrases = new TypedPassphrases(),
  wrappingKeys: WrappingKeys = new FixedWrappingKeys(),
): MasterKeyAdministration {
  return new MasterKeyAdministration({
    files: { credentials: file, ring: masterKeyFile },
    dialog: new PassphraseDialog(masterKeyFile, prompt, MIN_PASSPHRASE_COST),
    wrappingKeys,
  });
}
