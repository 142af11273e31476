import { CommanderError } from 'commander';
import type { CliContext, Environment } from '../adapters/driving/cli/cli-context.ts';
import { type Look, styled } from '../adapters/driving/cli/look.ts';
import { createProgram } from '../adapters/driving/cli/program.ts';
import { loadOrExplain } from '../load-or-explain.ts';
import type { AuditFollower } from '../ports/audit-follower.ts';
import { findWishes } from './command-wishes.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { handleSignals } from './handle-signals.ts';
import { openLiveOutput } from './live-output.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { lookOf } from './terminal-look.ts';
import type { Output } from './wants-colour.ts';

/** Where a command line's words go. */
export interface CommandOutputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Runs one command line, as `process.argv` holds it, and returns the exit code. `serve` and `demo` go on running after it returned. Each
 * command loads what it needs when it needs it: help and the audit commands wait for neither Express nor ethers nor the container.
 * @param outputs what is asked how words may look; the words themselves go to `print` and to standard error
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  print: (text: string) => void = (text) => process.stdout.write(text),
  outputs: CommandOutputs = process,
): Promise<number> {
  const wishes = findWishes(argv.slice(2));
  const output = lookOf(outputs.stdout, environment, wishes.colour);
  const errors = lookOf(outputs.stderr, environment, wishes.colour);
  const warn = (text: string): void => void process.stderr.write(text);
  const context: CliContext = {
    environment,
    open: async (given) => (await loadOrExplain(() => import('./open-installation.ts'))).openInstallation(given),
    serve: serveUntilSignal,
    doctor: async (given, options) =>
      (await loadOrExplain(() => import('./doctor/examine.ts'))).examine(given, options),
    verifyAudit: async (given, request) =>
      (await loadOrExplain(() => import('./verify-audit.ts'))).verifyAudit(given, request),
    auditFollower: LATER_FOLLOWER,
    auditFile: async (given) => (await import('./settings.ts')).readSettings(given).auditFile,
    openLiveOutput: () => openLiveOutput(output),
    endAsRefused: () => {
      process.exitCode = EXIT_CODES.refused;
    },
    endAsIncomplete: () => {
      process.exitCode = EXIT_CODES.incomplete;
    },
    print,
    warn,
    output,
    errors,
    wantsJson: wishes.json,
    terminal: outputs.stderr.isTTY ? warn : null,
  };
  try {
    await createProgram(context, SERVICE_VERSION).parseAsync(argv);
    return Number(process.exitCode ?? EXIT_CODES.done);
  } catch (error) {
    if (error instanceof CommanderError) return endOf(error, context);
    const { explainFailure } = await import('./report-failure.ts');
    const { text, exitCode } = explainFailure(error);
    warn(wishes.json ? failureDocument(text, exitCode) : `${errorMark(errors)}${text}\n`);
    return exitCode;
  }
}

/** Commander has told its own message in words by now, where words are wanted. */
function endOf({ message, exitCode, code }: CommanderError, { wantsJson, warn }: CliContext): number {
  if (exitCode === 0) return EXIT_CODES.done;
  if (!wantsJson) return EXIT_CODES.refused;
  const text = code === 'commander.help' ? 'name one of its commands; --help lists them' : message;
  warn(failureDocument(text.replace(/^error: /, ''), EXIT_CODES.refused));
  return EXIT_CODES.refused;
}

function errorMark(errors: Look): string {
  return `${styled(errors, 'red', 'error:')} `;
}

/** On one line, so that what else stands on standard error is told from it. */
function failureDocument(message: string, exitCode: number): string {
  return `${JSON.stringify({ error: { message, exitCode } })}\n`;
}

const LATER_FOLLOWER: AuditFollower = {
  follow: async function* (request) {
    const { FileAuditFollower } = await import('../adapters/driven/audit-follower/file-audit-follower.ts');
    yield* new FileAuditFollower().follow(request);
  },
};

async function serveUntilSignal(environment: Environment): Promise<void> {
  const starting = loadOrExplain(() => import('./serve.ts')).then(({ serve }) => serve(environment));
  handleSignals(starting);
  await starting;
}
