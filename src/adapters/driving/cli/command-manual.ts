import type { AddHelpTextContext, Command } from 'commander';
import { styled } from './look.ts';

/** What the help of a command, and its part of docs/CLI.md, say beside its arguments and options. */
export interface CommandManual {
  /** Paragraphs without line breaks. */
  readonly notes?: readonly string[];
  /** Settings that decide what it does, beside SIGNING_MEMORY_LOCK. */
  readonly settings?: readonly string[];
  /** What exit codes mean here; absent: what {@link USUAL_EXIT_CODES} says. */
  readonly exitCodes?: Partial<ExitCodeMeanings>;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
}

/** What the exit codes of a command mean. */
export interface ExitCodeMeanings {
  readonly 0: string;
  readonly 1: string;
  readonly 2: string;
  /** Absent where no command ends so. */
  readonly 3?: string;
}

/** What exit codes mean where a command says nothing else. */
export const USUAL_EXIT_CODES: ExitCodeMeanings = {
  0: 'done',
  1: 'an error that nobody expected',
  2: 'refused: options, settings or files are wrong, standard error says which; nothing was changed',
};

/** The name by which the program is called. */
export const PROGRAM_NAME = 'signing-service';

/** Meaning and default of a setting in plain text; undefined where there is no such setting. */
export type SettingHelp = (name: string) => string | undefined;

const MANUALS = new WeakMap<Command, CommandManual>();
const SETTING_HELP = new WeakMap<Command, SettingHelp>();
const MOST_COLUMNS = 120;
const USUAL_COLUMNS = 80;

/** Ends the command's help with its manual, and keeps that for those who write pages of it. Returns the command. */
export function withManual(command: Command, manual: CommandManual): Command {
  MANUALS.set(command, manual);
  return command.addHelpText('after', (context) => manualText(context, manual));
}

/** Lets the command's help explain the settings that its manual names. */
export function explainSettings(command: Command, help: SettingHelp): void {
  SETTING_HELP.set(command, help);
}

/** The manual that the command was given. */
export function manualOf(command: Command): CommandManual | undefined {
  return MANUALS.get(command);
}

/** The meanings of all exit codes of a command. */
export function exitCodesOf({ exitCodes }: CommandManual): ExitCodeMeanings {
  return { ...USUAL_EXIT_CODES, ...exitCodes };
}

/** Width of help on a terminal of so many columns: longer lines are hard to read. */
export function helpWidth(columns: number | null): number {
  return columns === null ? USUAL_COLUMNS : Math.min(columns, MOST_COLUMNS);
}

function manualText({ error, command }: AddHelpTextContext, manual: CommandManual): string {
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
  const width = (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) ?? USUAL_COLUMNS;
  const wrapped = (text: string, indent = 0): string =>
    command
      .createHelp()
      .boxWrap(text, width - indent)
      .replaceAll('\n', `\n${' '.repeat(indent)}`);
  // commander takes the colours out where none are shown.
  const title = (text: string): string => styled({ colour: true }, 'bold', text);
  const { notes = [], settings = [], examples } = manual;
  const explained = settings.flatMap((name) => {
    const help = SETTING_HELP.get(command)?.(name);
    return [`  ${name}`, ...(help === undefined ? [] : [`      ${wrapped(help, 6)}`])];
  });
  const exitCodes = Object.entries(exitCodesOf(manual)).map(([code, meaning]) => `  ${code}  ${wrapped(meaning, 5)}`);
  return [
    ...notes.map((note) => `\n${wrapped(note)}`),
    ...(settings.length === 0 ? [] : [`\n${title('Settings (environment variables):')}`, ...explained]),
    `\n${title('Exit codes:')}`,
    ...exitCodes,
    `\n${title(examples.length === 1 ? 'Example:' : 'Examples:')}`,
    ...examples.map((line) => `  $ ${PROGRAM_NAME} ${line}`),
  ].join('\n');
}
