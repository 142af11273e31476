import { CommanderError } from 'commander';
import { FileAuditFollower } from '../adapters/driven/audit-follower/file-audit-follower.ts';
import { createAuditKey } from '../adapters/driven/audit-sink/audit-key/create-audit-key.ts';
import { initialiseFiles } from '../adapters/driven/credential-source/initialise-files.ts';
import { PassphraseDialog } from '../adapters/driven/credential-source/master-key/passphrase-dialog.ts';
import type { CliContext, Environment, Installation } from '../adapters/driving/cli/cli-context.ts';
import { createProgram } from '../adapters/driving/cli/program.ts';
import { allowUnlockedMemory } from '../secure-memory/memory-lock.ts';
import { createContainer } from './container.ts';
import { examine } from './doctor/examine.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { handleSignals } from './handle-signals.ts';
import { openLiveOutput } from './live-output.ts';
import { reportFailure } from './report-failure.ts';
import { startService } from './running-service.ts';
import { serve } from './serve.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { readSettings } from './settings.ts';
import { TOKENS } from './tokens.ts';
import { verifyAudit } from './verify-audit.ts';

/** Runs one command line, as `process.argv` holds it, and returns the exit code. `serve` and `demo` go on running after it returned. */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  print: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const context: CliContext = {
    environment,
    open: openInstallation,
    serve: serveUntilSignal,
    doctor: examine,
    verifyAudit,
    auditFollower: new FileAuditFollower(),
    auditFile: (given) => readSettings(given).auditFile,
    openLiveOutput: () => openLiveOutput(environment),
    endAsRefused: () => {
      process.exitCode = EXIT_CODES.refused;
    },
    print,
    terminal: process.stderr.isTTY ? (text) => process.stderr.write(text) : null,
  };
  try {
    await createProgram(context, SERVICE_VERSION).parseAsync(argv);
    return Number(process.exitCode ?? EXIT_CODES.done);
  } catch (error) {
    // Commander has printed its own message by now.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.refused;
    return reportFailure('error: ', error);
  }
}

async function serveUntilSignal(environment: Environment): Promise<void> {
  const starting = serve(environment);
  handleSignals(starting);
  await starting;
}

function openInstallation(environment: Environment): Installation {
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
      return container.get(TOKENS.MasterKeyAdministration);
    },
    start: () => startService(settings, container),
    close: () => {
      if (holdsKeys) container.get(TOKENS.KeyStore).purge();
      container.get(TOKENS.CredentialSource).purge();
    },
  };
}
