import type { Container } from 'inversify';
import { FileCredentialEditor } from '../adapters/driven/credential-source/file-credential-editor.ts';
import { FileCredentialSource } from '../adapters/driven/credential-source/file-credential-source.ts';
import { MasterKeyKeeper } from '../adapters/driven/credential-source/master-key/master-key-keeper.ts';
import { FileMasterKeyAdministration } from '../adapters/driven/credential-source/master-key-rotation/file-master-key-administration.ts';
import type { Settings } from './settings.ts';
import { MASTER_KEYS } from './shared-parts.ts';
import { TOKENS as T } from './tokens.ts';

/** Binds the ports of the configuration to the adapters of its files. */
export function bindCredentials(container: Container, settings: Settings): void {
  const file = settings.credentialsFile;
  const masterKeyFiles = { primary: settings.masterKeyFile, previous: settings.previousMasterKeyFile };
  container
    .bind(MASTER_KEYS)
    .toResolvedValue((prompt) => new MasterKeyKeeper(masterKeyFiles, prompt), [T.PassphrasePrompt]);
  container.bind(T.CredentialSource).toResolvedValue(
    (masterKeys) =>
      new FileCredentialSource({
        file,
        masterKeys,
        allowPlaintextKeys: settings.allowPlaintextKeys,
        production: settings.production,
      }),
    [MASTER_KEYS],
  );
  container
    .bind(T.CredentialEditor)
    .toResolvedValue((masterKeys) => new FileCredentialEditor({ file, masterKeys }), [MASTER_KEYS]);
  container
    .bind(T.MasterKeyAdministration)
    .toResolvedValue(
      (prompt) => new FileMasterKeyAdministration({ file, masterKeyFiles, prompt }),
      [T.PassphrasePrompt],
    );
}
