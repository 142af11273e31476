import type { Environment, Installation } from '../adapters/cli/cli-context.ts';
import type { MasterKeyStore } from '../adapters/credentials/master-key/master-key-store.ts';
import { createWrappingKeyLoader } from '../adapters/credentials/wrapping-keys/wrapping-key-loader.ts';
import { SystemClock } from '../adapters/node/system-clock.ts';
import { TerminalPassphrase } from '../adapters/passphrase/terminal-passphrase.ts';
import { allowUnlockedMemory } from '../adapters/vault/locked-buffer.ts';
import type { CredentialEditor } from '../ports/credential-editor.ts';
import type { KeyStore } from '../ports/key-store.ts';
import { loadPolicyLanguage } from './policy-language.ts';
import { readSettings, type Settings } from './settings/settings.ts';

/**
 * The installation that these settings name. Composes what commands need, part by part, without
 * the container of the service: a command loads only the modules of its own parts. Loads and opens
 * everything on first use.
 * @throws OperatorError
 */
export function openInstallation(environment: Environment): Installation {
  const settings = readSettings(environment);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => process.stderr.write(`warning: ${warning}\n`));
  const prompt = new TerminalPassphrase();
  const clock = new SystemClock();
  const opened: { masterKeys?: MasterKeyStore; keyStore?: KeyStore } = {};

  const openEditor = once(async (): Promise<CredentialEditor> => {
    const [{ FileCredentialEditor }, { MasterKeyStore }] = await Promise.all([
      import('../adapters/credentials/editor/file-credential-editor.ts'),
      import('../adapters/credentials/master-key/master-key-store.ts'),
    ]);
    opened.masterKeys = new MasterKeyStore(masterKeyFiles(settings), prompt, loadWrappingKey);
    return new FileCredentialEditor({ file: settings.credentialsFile, masterKeys: opened.masterKeys });
  });
  const loadWrappingKey = createWrappingKeyLoader(settings.wrappingKeys);
  const loadCompiler = once(async () => {
    const { PolicyCompiler } = await import('../domain/services/policy-compiler.ts');
    return new PolicyCompiler(loadPolicyLanguage);
  });

  return {
    initialise: async (passphrase, protection) =>
      (await import('./initialise-installation.ts')).initialiseInstallation(settings, {
        prompt: passphrase ? prompt : null,
        protection,
      }),
    administration: once(async () => {
      const [editor, { AccountAdministrationService }, { SodiumKeyStore }, { loadSigner }, { sha256Of }] =
        await Promise.all([
          openEditor(),
          import('../domain/services/account-administration-service.ts'),
          import('../adapters/vault/sodium-key-store.ts'),
          import('./load-signer.ts'),
          import('../adapters/node/sha256.ts'),
        ]);
      opened.keyStore = new SodiumKeyStore();
      return new AccountAdministrationService(editor, opened.keyStore, loadSigner, clock, { sha256: sha256Of });
    }),
    platforms: once(async () => {
      const [editor, compiler, { PlatformAdministrationService }] = await Promise.all([
        openEditor(),
        loadCompiler(),
        import('../domain/services/platform-administration-service.ts'),
      ]);
      return new PlatformAdministrationService(editor, clock, compiler);
    }),
    policies: once(async () => {
      const [editor, compiler, { PolicyTrialService }, { NodeHasher }, typedData, starknet] = await Promise.all([
        openEditor(),
        loadCompiler(),
        import('../domain/services/policy-trial-service.ts'),
        import('../adapters/node/node-hasher.ts'),
        import('../adapters/signing/ethers-typed-data-encoder.ts'),
        import('../adapters/signing/starknet-typed-data-encoder.ts'),
      ]);
      return new PolicyTrialService({
        ...{ editor, compiler, clock },
        hasher: new NodeHasher(),
        typedData: new typedData.EthersTypedDataEncoder(),
        starknet: new starknet.ScureStarknetTypedDataEncoder(),
      });
    }),
    masterKeys: once(async () => {
      const { MasterKeyAdministration } = await import(
        '../adapters/credentials/master-key-rotation/master-key-administration.ts'
      );
      const [file, files] = [settings.credentialsFile, masterKeyFiles(settings)];
      return new MasterKeyAdministration({ file, masterKeyFiles: files, prompt, loadWrappingKey });
    }),
    tokens: once(async () => {
      const [{ TokenAdministration }, { SodiumSignatureVerifier }] = await Promise.all([
        import('../adapters/auth/token-administration.ts'),
        import('../adapters/auth/sodium-signature-verifier.ts'),
      ]);
      return new TokenAdministration({ ...settings.auth, verifier: new SodiumSignatureVerifier(), clock });
    }),
    // Of these commands only demo needs the service.
    start: async () => {
      const [{ createContainer }, { startService }] = await Promise.all([
        import('./compose.ts'),
        import('./lifecycle.ts'),
      ]);
      return startService(createContainer(settings));
    },
    close: () => {
      opened.keyStore?.purge();
      opened.masterKeys?.close();
    },
  };
}

function masterKeyFiles({ masterKeyFile, previousMasterKeyFile }: Settings) {
  return { primary: masterKeyFile, previous: previousMasterKeyFile };
}

/** Makes a part on first use. */
function once<Part>(make: () => Promise<Part>): () => Promise<Part> {
  let made: Promise<Part> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
