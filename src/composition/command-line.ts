import { CommanderError } from 'commander';
import { FileAuditFollower } from '../adapters/driven/audit-follower/file-audit-follower.ts';
import type { CliContext, Environment } from '../adapters/driving/cli/cli-context.ts';
import { createProgram } from '../adapters/driving/cli/program.ts';
import { loadOrExplain } from '../load-or-explain.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { handleSignals } from './handle-signals.ts';
import { openLiveOutput } from './live-output.ts';
import { reportFailure } from './report-failure.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { readSettings } from './settings.ts';

/**
 * Runs one command line, as `process.argv` holds it, and returns the exit code. `serve` and `demo` go on running after it returned. Each
 * command loads what it needs when it needs it: help and the audit commands wait for neither Express nor ethers nor the container.
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  print: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const context: CliContext = {
    environment,
    open: async (given) => (await loadOrExplain(() => import('./open-installation.ts'))).openInstallation(given),
    serve: serveUntilSignal,
    doctor: async (given, options) =>
      (await loadOrExplain(() => import('./doctor/examine.ts'))).examine(given, options),
    verifyAudit: async (given, request) =>
      (await loadOrExplain(() => import('./verify-audit.ts'))).verifyAudit(given, request),
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
  const starting = loadOrExplain(() => import('./serve.ts')).then(({ serve }) => serve(environment));
  handleSignals(starting);
  await starting;
}
