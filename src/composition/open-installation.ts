import { createAuditKey } from '../adapters/driven/audit-sink/audit-key/create-audit-key.ts';
import { initialiseFiles } from '../adapters/driven/credential-source/initialise-files.ts';
import { PassphraseDialog } from '../adapters/driven/credential-source/master-key/passphrase-dialog.ts';
import { MasterKeyAdministration } from '../adapters/driven/credential-source/master-key-rotation/master-key-administration.ts';
import type { Environment, Installation } from '../adapters/driving/cli/cli-context.ts';
import { allowUnlockedMemory } from '../secure-memory/memory-lock.ts';
import { createContainer } from './compose.ts';
import { readSettings } from './settings.ts';
import { TOKENS } from './tokens.ts';

/**
 * What commands with these settings work on. Everything is opened on first use.
 * @throws OperatorError
 */
export function openInstallation(environment: Environment): Installation {
  const settings = readSettings(environment);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => process.stderr.write(`warning: ${warning}\n`));
  const container = createContainer(settings);
  const { credentialsFile, masterKeyFile, auditKeyFile } = settings;
  let holdsKeys = false;
  return {
    initialise: async (passphrase) => {
      const dialog = passphrase ? new PassphraseDialog(container.get(TOKENS.PassphrasePrompt)) : null;
      try {
        const made = await initialiseFiles(credentialsFile, masterKeyFile, dialog);
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
    get masterKeys() {
      return new MasterKeyAdministration({
        file: credentialsFile,
        masterKeyFiles: { primary: masterKeyFile, previous: settings.previousMasterKeyFile },
        prompt: container.get(TOKENS.PassphrasePrompt),
      });
    },
    tokens: async () => {
      const { TokenAdministration } = await import('../adapters/driven/access-tokens/token-administration.ts');
      const verifier = container.get(TOKENS.SignatureVerifier);
      return new TokenAdministration({ ...settings.auth, verifier, clock: container.get(TOKENS.Clock) });
    },
    // Of the commands that work on an installation, demo alone needs what speaks HTTP.
    start: async () => (await import('./lifecycle.ts')).startService(container),
    close: () => {
      if (holdsKeys) container.get(TOKENS.KeyStore).purge();
      container.get(TOKENS.CredentialSource).purge();
    },
  };
}
