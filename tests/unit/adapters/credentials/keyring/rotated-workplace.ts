import { Keyring } from '../../../../../src/adapters/credentials/keyring/keyring.ts';
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/keyring/master-key-administration.ts';
import { MIN_PASSPHRASE_COST } from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { SodiumKeyStore } from '../../../../../src/adapters/vault/sodium-key-store.ts';
import type { WrappingKeys } from '../../../../../src/ports/wrapping-keys.ts';
import { FixedWrappingKeys } from '../../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';

/** Of all commands in this process. */
let vault: SodiumKeyStore | undefined;

async function openVault(): Promise<SodiumKeyStore> {
  vault ??= new SodiumKeyStore();
  return vault;
}

/** The `master-key` commands in this process, at minimum passphrase cost. */
export function administrationOf(
  { file, masterKeyFile }: Pick<CredentialsWorkplace, 'file' | 'masterKeyFile'>,
  prompt: TypedPassphrases = new TypedPassphrases(),
  wrappingKeys: WrappingKeys = new FixedWrappingKeys(),
): MasterKeyAdministration {
  const parts = { file: masterKeyFile, vault: openVault, prompt, wrappingKeys, cost: MIN_PASSPHRASE_COST };
  return new MasterKeyAdministration(file, new Keyring(parts));
}
