import type { AddHelpTextContext, Command } from 'commander';
import { styled } from './terminal/style.ts';

/**
 * Help of a command, and its section of docs/operators/command-line.md, besides arguments and
 * options.
 */
export interface CommandManual {
  /** Paragraphs without line breaks. */
  readonly notes?: readonly string[];
  /** Settings that it reads, besides SIGNING_MEMORY_LOCK. */
  readonly settings?: readonly string[];
  /** Deviations from {@link USUAL_EXIT_CODES}. */
  readonly exitCodes?: Partial<ExitCodeMeanings>;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
}

/** Meanings of exit codes. */
export interface ExitCodeMeanings {
  readonly 0: string;
  readonly 1: string;
  readonly 2: string;
  /** Absent unless the command uses it. */
  readonly 3?: string;
  /** As 3. */
  readonly 4?: string;
  /** As 3. */
  readonly 5?: string;
}

/** Default meanings of exit codes. */
export const USUAL_EXIT_CODES: ExitCodeMeanings = {
  0: 'done',
  1: 'unexpected error',
  2: 'rejected: an option, setting or file is invalid (see standard error); nothing was changed',
};

/** Name of the program. */
export const PROGRAM_NAME = 'signing-service';

/** The word before those to complete: `signing-service complete account li`. */
export const COMPLETE = 'complete';

/** Plain-text meaning and default of a setting; undefined if unknown. */
export type SettingHelp = (name: string) => string | undefined;

const MANUALS = new WeakMap<Command, CommandManual>();
const SETTING_HELP = new WeakMap<Command, SettingHelp>();
const MAX_COLUMNS = 120;
const DEFAULT_COLUMNS = 80;

/** Adds a manual to the command's help, for `getManual`. Returns the command. */
export function addManual(command: Command, manual: CommandManual): Command {
  MANUALS.set(command, manual);
  return command.addHelpText('after', (context) => formatManual(context, manual));
}

/** Lets the help explain the settings of the manual. */
export function formatSettings(command: Command, help: SettingHelp): void {
  SETTING_HELP.set(command, help);
}

/** The manual of a command. */
export function getManual(command: Command): CommandManual | undefined {
  return MANUALS.get(command);
}

/** All exit codes of a command. */
export function formatExitCodes({ exitCodes }: CommandManual): ExitCodeMeanings {
  return { ...USUAL_EXIT_CODES, ...exitCodes };
}

/** Width of help: longer lines are hard to read. */
export function getHelpWidth(columns: number | null): number {
  return columns === null ? DEFAULT_COLUMNS : Math.min(columns, MAX_COLUMNS);
}

function formatManual({ error, command }: AddHelpTextContext, manual: CommandManual): string {
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
  const width = (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) ?? DEFAULT_COLUMNS;
  const wrapped = (text: string, indent = 0): string =>
    command
      .createHelp()
      .boxWrap(text, width - indent)
      .replaceAll('\n', `\n${' '.repeat(indent)}`);
  // commander strips colours where needed.
  const title = (text: string): string => styled({ colour: true }, 'bold', text);
  const { notes = [], settings = [], examples } = manual;
  const explained = settings.flatMap((name) => {
    const help = SETTING_HELP.get(command)?.(name);
    return [`  ${name}`, ...(help === undefined ? [] : [`      ${wrapped(help, 6)}`])];
  });
  const exitCodes = Object.entries(formatExitCodes(manual)).map(
    ([code, meaning]) => `  ${code}  ${wrapped(meaning, 5)}`,
  );
  return [
    ...notes.map((note) => `\n${wrapped(note)}`),
    ...(settings.length === 0 ? [] : [`\n${title('Settings (environment variables):')}`, ...explained]),
    `\n${title('Exit codes:')}`,
    ...exitCodes,
    `\n${title(examples.length === 1 ? 'Example:' : 'Examples:')}`,
    ...examples.map((line) => `  $ ${PROGRAM_NAME} ${line}`),
  ].join('\n');
}
