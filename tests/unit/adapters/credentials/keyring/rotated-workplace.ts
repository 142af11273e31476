import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/keyring/master-key-administration.ts';
import { MIN_PASSPHRASE_COST } from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import type { LoadWrappingKey } from '../../../../../src/adapters/credentials/keyring/wrapped-key.ts';
import { createWrappingKeyLoader } from '../../../../../src/adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';

/** The `master-key` commands in this process, at minimum passphrase cost. */
export function administrationOf(
  { file, masterKeyFile }: Pick<CredentialsWorkplace, 'file' | 'masterKeyFile'>,
  prompt: TypedPassphrases = new TypedPassphrases(),
  load: LoadWrappingKey = createWrappingKeyLoader(),
): MasterKeyAdministration {
  return new MasterKeyAdministration({
    files: { credentials: file, ring: masterKeyFile },
    ...{ prompt, load, cost: MIN_PASSPHRASE_COST },
  });
}
