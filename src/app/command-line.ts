import { basename, relative } from 'node:path';
import { CommanderError } from 'commander';
import type { CliContext, Environment } from '../adapters/cli/cli-context.ts';
import { COMPLETE, PROGRAM_NAME } from '../adapters/cli/command-manual.ts';
import { createProgram, nameAsCalled } from '../adapters/cli/program.ts';
import { styled, type TerminalStyle } from '../adapters/cli/terminal/style.ts';
import { quoteForShell } from '../adapters/files/file-permissions.ts';
import type { FollowerEvent, FollowRequest } from '../domain/model/audit-entry.ts';
import { printable } from '../domain/model/text/unsafe-characters.ts';
import { EXIT_CODES, formatLoadFailure, isLoadFailure, loadOrExplain } from './exit-codes.ts';
import { SERVICE_VERSION } from './service-version.ts';
import { handleSignals } from './signals.ts';
import { createStyle, type Output, openLiveOutput } from './standard-streams.ts';

/** The standard streams of a command. */
export interface CommandOutputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Runs `process.argv` and returns the exit code; `serve` and `demo` run on. Commands load their
 * modules lazily, so help and the audit commands load neither Express nor ethers nor the container.
 * @param outputs decide width and colour; text goes to `print` and to standard error
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  print: (text: string) => void = (text) => process.stdout.write(text),
  outputs: CommandOutputs = process,
): Promise<number> {
  const globals = findGlobalOptions(argv.slice(2));
  const output = createStyle(outputs.stdout, environment, globals.colour);
  const errors = createStyle(outputs.stderr, environment, globals.colour);
  // A document keeps its texts: they may be data.
  const called = globals.json ? PROGRAM_NAME : getCalledProgram(argv[1] ?? PROGRAM_NAME);
  const asCalled = (text: string) => nameAsCalled(text, called);
  const warn = (text: string): void => void process.stderr.write(asCalled(text));
  const context: CliContext = {
    environment,
    settingHelp: globals.help ? (await import('./settings/setting-help.ts')).settingHelp : undefined,
    open: async (environment) => (await import('./installation.ts')).openInstallation(environment),
    serve: serveUntilSignal,
    doctor: async (environment, options) => (await import('./doctor/run-doctor.ts')).runDoctor(environment, options),
    verifyAudit: async (environment, request) => (await import('./verify-audit.ts')).verifyAudit(environment, request),
    followAudit,
    auditFile: async (environment) => (await import('./settings/settings.ts')).readSettings(environment).auditFile,
    openStatusSource: async (environment, call) =>
      (await import('./read-status.ts')).openStatusSource(environment, call),
    openLiveOutput: () => openLiveOutput(output),
    endAs: (outcome) => {
      process.exitCode = EXIT_CODES[outcome];
    },
    print: (text) => print(asCalled(text)),
    warn,
    output,
    errors,
    wantsJson: globals.json,
    terminal: outputs.stderr.isTTY ? warn : null,
  };
  try {
    const [first, ...words] = argv.slice(2);
    if (first === COMPLETE) {
      const { complete } = await import('../adapters/cli/completion.ts');
      print(complete(await createProgram(context, SERVICE_VERSION, words), words));
      return EXIT_CODES.done;
    }
    const program = await createProgram(context, SERVICE_VERSION, argv.slice(2));
    await program.parseAsync(argv);
    return Number(process.exitCode ?? EXIT_CODES.done);
  } catch (error) {
    if (error instanceof CommanderError) return reportParseError(error, context);
    // A command loads its modules when it needs them.
    if (isLoadFailure(error)) {
      const text = formatLoadFailure(error);
      warn(globals.json ? failureDocument(text.trim(), EXIT_CODES.refused) : text);
      return EXIT_CODES.refused;
    }
    const { explainFailure } = await import('./explain-failure.ts');
    const { text, exitCode } = explainFailure(error);
    warn(
      globals.json
        ? failureDocument(text, exitCode)
        : `${errorMark(errors)}${text.split('\n').map(printable).join('\n')}\n`,
    );
    return exitCode;
  }
}

/**
 * The program as it is typed in this folder: its link's name, or node and its path.
 * @param script path of the program, absolute
 */
function getCalledProgram(script: string): string {
  if (basename(script) === PROGRAM_NAME) return PROGRAM_NAME;
  const path = relative(process.cwd(), script);
  return `node ${quoteForShell(path.startsWith('..') ? script : path)}`;
}

/** commander has printed its message already, unless errors are JSON. */
function reportParseError({ message, exitCode, code }: CommanderError, { wantsJson, warn }: CliContext): number {
  if (exitCode === 0) return EXIT_CODES.done;
  if (!wantsJson) return EXIT_CODES.refused;
  const text = code === 'commander.help' ? 'missing command; see --help' : message;
  warn(failureDocument(text.replace(/^error: /, ''), EXIT_CODES.refused));
  return EXIT_CODES.refused;
}

function errorMark(errors: TerminalStyle): string {
  return `${styled(errors, 'red', 'error:')} `;
}

/** On one line, to separate it from other text on standard error. */
function failureDocument(message: string, exitCode: number): string {
  return `${JSON.stringify({ error: { message, exitCode } })}\n`;
}

async function* followAudit(request: FollowRequest): AsyncGenerator<FollowerEvent> {
  const { AuditTail } = await import('../adapters/audit/tail/audit-tail.ts');
  yield* new AuditTail().follow(request);
}

async function serveUntilSignal(environment: Environment): Promise<void> {
  const starting = loadOrExplain(() => import('./serve.ts')).then(({ serve }) => serve(environment));
  handleSignals(starting);
  await starting;
}

/** Words that request help. */
const HELP = ['--help', '-h', 'help'];

/** Options of every command. */
interface GlobalOptions {
  /** The last of `--color` and `--no-color`; undefined: neither. */
  readonly colour: boolean | undefined;
  /** `--json`: errors are JSON, too. */
  readonly json: boolean;
  /** Whether help of a command is requested: it explains settings, the program's does not. */
  readonly help: boolean;
}

/**
 * Finds these options before parsing, whose errors they apply to.
 * @param args arguments after the program's name
 */
function findGlobalOptions(args: readonly string[]): GlobalOptions {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const colour = options.findLast((option) => option === '--color' || option === '--no-color');
  return {
    colour: colour === undefined ? undefined : colour === '--color',
    json: options.includes('--json'),
    help: options.some((word) => HELP.includes(word)) && options.some((word) => !/^-|^help$/.test(word)),
  };
}
