import { CommanderError } from 'commander';
import type { CliContext, Environment } from '../adapters/driving/cli/cli-context.ts';
import { type Look, styled } from '../adapters/driving/cli/look.ts';
import { createProgram } from '../adapters/driving/cli/program.ts';
import type { FollowRequest, Sighting } from '../domain/model/audit-sighting.ts';
import { loadOrExplain } from '../load-or-explain.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { handleSignals } from './handle-signals.ts';
import { lookOf, type Output, openLiveOutput } from './outputs.ts';
import { SERVICE_VERSION } from './service-version.ts';

/** Where a command line's words go. */
export interface CommandOutputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Runs one command line, as `process.argv` holds it, and returns the exit code. `serve` and `demo`
 * go on running after it returned. Each command loads what it needs when it needs it: help and the
 * audit commands wait for neither Express nor ethers nor the container.
 * @param outputs decide about width and colour; the text goes to `print` and to standard error
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  print: (text: string) => void = (text) => process.stdout.write(text),
  outputs: CommandOutputs = process,
): Promise<number> {
  const globals = findGlobalOptions(argv.slice(2));
  const output = lookOf(outputs.stdout, environment, globals.colour);
  const errors = lookOf(outputs.stderr, environment, globals.colour);
  const warn = (text: string): void => void process.stderr.write(text);
  const context: CliContext = {
    environment,
    settingHelp: globals.help ? (await import('./setting-table.ts')).settingHelp : undefined,
    open: async (given) => (await loadOrExplain(() => import('./open-installation.ts'))).openInstallation(given),
    serve: serveUntilSignal,
    doctor: async (given, options) =>
      (await loadOrExplain(() => import('./doctor/examine.ts'))).examine(given, options),
    verifyAudit: async (given, request) =>
      (await loadOrExplain(() => import('./verify-audit.ts'))).verifyAudit(given, request),
    followAudit,
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
    wantsJson: globals.json,
    terminal: outputs.stderr.isTTY ? warn : null,
  };
  try {
    await createProgram(context, SERVICE_VERSION).parseAsync(argv);
    return Number(process.exitCode ?? EXIT_CODES.done);
  } catch (error) {
    if (error instanceof CommanderError) return endOf(error, context);
    const { explainFailure } = await import('./report-failure.ts');
    const { text, exitCode } = explainFailure(error);
    warn(globals.json ? failureDocument(text, exitCode) : `${errorMark(errors)}${text}\n`);
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

async function* followAudit(request: FollowRequest): AsyncGenerator<Sighting> {
  const { AuditFollower } = await import('../adapters/driven/audit-follower/audit-follower.ts');
  yield* new AuditFollower().follow(request);
}

async function serveUntilSignal(environment: Environment): Promise<void> {
  const starting = loadOrExplain(() => import('./serve.ts')).then(({ serve }) => serve(environment));
  handleSignals(starting);
  await starting;
}

/** Options that every command takes. */
interface GlobalOptions {
  /** `--color` or `--no-color`, the last of them; undefined: neither. */
  readonly colour: boolean | undefined;
  /** `--json`: then errors are JSON, too. */
  readonly json: boolean;
  /** Whether help is requested. */
  readonly help: boolean;
}

/**
 * Finds these options before the command line is parsed: they apply to its errors as well.
 * @param args the words behind the program's name
 */
function findGlobalOptions(args: readonly string[]): GlobalOptions {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const colour = options.findLast((option) => option === '--color' || option === '--no-color');
  return {
    colour: colour === undefined ? undefined : colour === '--color',
    json: options.includes('--json'),
    help: ['--help', '-h', 'help'].some((word) => options.includes(word)),
  };
}
