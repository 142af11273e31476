import type { Environment, Installation } from '../adapters/cli/cli-context.ts';
import { sha256Of } from '../adapters/node/sha256.ts';
import { SILENT_LOG } from '../adapters/observability/silent-service-log.ts';
import { allowUnlockedMemory } from '../adapters/vault/locked-buffer.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { AdapterSet, type Adapters } from './adapters.ts';
import { loadSigner } from './load-signer.ts';
import { readSettings } from './settings/settings.ts';

/**
 * The installation that these settings name. Modules load and files open on first use: a command
 * loads only its own.
 * @param replacements adapters in place of the settings' own, by name
 * @throws OperatorError
 */
export function openInstallation(environment: Environment, replacements: Partial<Adapters> = {}): Installation {
  const settings = readSettings(environment);
  if (settings.memoryLock === 'warn') allowUnlockedMemory((warning) => process.stderr.write(`warning: ${warning}\n`));
  const adapters = new AdapterSet(settings, replacements);
  const createCompiler = async () => {
    const { PolicyCompiler } = await import('../domain/services/policy-compiler.ts');
    return new PolicyCompiler(await adapters.get('loadPolicyLanguage'));
  };

  return {
    initialise: async (wanted) => {
      const { createAuditKey } = await import('../adapters/audit/audit-key.ts');
      const { initialiseFiles } = await import('../adapters/credentials/editor/initialise-files.ts');
      const { credentialsFile, auditKeyFile } = settings;
      const keyring = await adapters.get('keyring');
      const created = await initialiseFiles(credentialsFile, keyring, wanted);
      const audit = createAuditKey(auditKeyFile);
      return [
        { purpose: 'master key', file: keyring.file, created: created.masterKey },
        { purpose: 'credentials file', file: credentialsFile, created: created.credentials },
        { purpose: 'audit key', ...audit.key },
        { purpose: 'audit public key', ...audit.publicKey },
      ];
    },
    trialTls: async () => {
      const { createTrialTls } = await import('./trial-tls.ts');
      return createTrialTls(settings, (await adapters.get('clock')).now());
    },
    accounts: async () => {
      const { AccountAdministrationService } = await import('../domain/services/account-administration-service.ts');
      const ports = await adapters.all('editor', 'keyStore', 'clock');
      // Not the adapter, which compiles WebAssembly.
      return new AccountAdministrationService({ ...ports, loadSigner, hasher: { sha256: sha256Of } });
    },
    configuration: async () => {
      const { ConfigurationAdministrationService } = await import(
        '../domain/services/configuration-administration-service.ts'
      );
      const ports = await adapters.all('editor', 'clock');
      return new ConfigurationAdministrationService({ ...ports, compiler: await createCompiler() });
    },
    policies: async () => {
      const { PolicyTrialService } = await import('../domain/services/policy-trial-service.ts');
      const ports = await adapters.all('editor', 'clock', 'hasher', 'starknet');
      return new PolicyTrialService({ ...ports, compiler: await createCompiler() });
    },
    masterKeys: async () => {
      const { MasterKeyAdministration } = await import('../adapters/credentials/keyring/master-key-administration.ts');
      return new MasterKeyAdministration(settings.credentialsFile, await adapters.get('keyring'));
    },
    tokens: async () => {
      const { TokenAdministration } = await import('../adapters/auth/token-administration.ts');
      return new TokenAdministration({ ...settings.auth, ...(await adapters.all('verifier', 'clock')) });
    },
    backups: async () => {
      const [{ backUp }, { restore }] = await Promise.all([
        import('./backup/back-up.ts'),
        import('./backup/restore.ts'),
      ]);
      const clock = await adapters.get('clock');
      return {
        backUp: (folders) => backUp(settings, folders, new Date(clock.now()).toISOString()),
        restore: (folders) => restore(settings, folders),
      };
    },
    readBudgets: async () => {
      const { createBudgetLedger } = await import('./limits.ts');
      const { readBudgets } = await import('../domain/services/budget-report.ts');
      const { editor, clock, redis } = await adapters.all('editor', 'clock', 'redis');
      const problems: string[] = [];
      // Each message ends with a period, each caution gets one.
      const error: ServiceLog['error'] = (message, { file } = {}) =>
        problems.push(`${message.replace(/\.$/, '')}${file === undefined ? '' : `: ${file}`}`);
      const log: ServiceLog = { ...SILENT_LOG, error };
      try {
        return {
          budgets: await readBudgets(await editor.list(), createBudgetLedger(settings, { clock, redis, log })),
          problems,
        };
      } finally {
        redis?.close();
      }
    },
    // Of these commands only demo needs the service.
    start: async () => (await import('./lifecycle.ts')).startService(settings, adapters),
    close: () => adapters.purge(),
  };
}
