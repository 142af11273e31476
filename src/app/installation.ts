import { createAuditKey } from '../adapters/audit/audit-key.ts';
import type { Environment, Installation } from '../adapters/cli/cli-context.ts';
import { initialiseFiles } from '../adapters/credentials/editor/initialise-files.ts';
import { PassphraseDialog } from '../adapters/credentials/master-key/passphrase-dialog.ts';
import { assertExistingProtection } from '../adapters/credentials/master-key/requested-protection.ts';
import { MasterKeyAdministration } from '../adapters/credentials/master-key-rotation/master-key-administration.ts';
import { createWrappingKeyLoader } from '../adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import { allowUnlockedMemory } from '../adapters/vault/locked-buffer.ts';
import { createContainer } from './compose.ts';
import { TOKENS } from './container-tokens.ts';
import { readSettings } from './settings/settings.ts';

/**
 * The installation that these settings name. Opens everything on first use.
 * @throws OperatorError
 */
export function openInstallation(environment: Environment): Installation {
  const settings = readSettings(environment);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => process.stderr.write(`warning: ${warning}\n`));
  const container = createContainer(settings);
  const { credentialsFile, masterKeyFile, auditKeyFile } = settings;
  let holdsKeys = false;
  return {
    initialise: async (passphrase, protection) => {
      if (protection !== undefined) assertExistingProtection(masterKeyFile, protection);
      const envelope =
        protection === undefined || protection.source === 'file'
          ? null
          : { ...protection, load: createWrappingKeyLoader(settings.wrappingKeys) };
      const dialog = passphrase ? new PassphraseDialog(container.get(TOKENS.PassphrasePrompt)) : null;
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
    },
    get administration() {
      holdsKeys = true;
      return container.get(TOKENS.AccountAdministrationService);
    },
    get platforms() {
      return container.get(TOKENS.PlatformAdministrationService);
    },
    get policies() {
      return container.get(TOKENS.PolicyTrialService);
    },
    get masterKeys() {
      return new MasterKeyAdministration({
        file: credentialsFile,
        masterKeyFiles: { primary: masterKeyFile, previous: settings.previousMasterKeyFile },
        prompt: container.get(TOKENS.PassphrasePrompt),
        loadWrappingKey: createWrappingKeyLoader(settings.wrappingKeys),
      });
    },
    tokens: async () => {
      const { TokenAdministration } = await import('../adapters/auth/token-administration.ts');
      const verifier = container.get(TOKENS.SignatureVerifier);
      return new TokenAdministration({ ...settings.auth, verifier, clock: container.get(TOKENS.Clock) });
    },
    // Of these commands only demo needs HTTP.
    start: async () => (await import('./lifecycle.ts')).startService(container),
    close: () => {
      if (holdsKeys) container.get(TOKENS.KeyStore).purge();
      container.get(TOKENS.CredentialSource).purge();
    },
  };
}
