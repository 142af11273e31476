import type { Argument, Command, Option } from 'commander';
import type { CliContext } from '../../src/adapters/driving/cli/cli-context.ts';
import {
  exitCodesOf,
  manualOf,
  PROGRAM_NAME,
  USUAL_EXIT_CODES,
} from '../../src/adapters/driving/cli/command-manual.ts';
import { PLAIN_LOOK } from '../../src/adapters/driving/cli/look.ts';
import { createProgram } from '../../src/adapters/driving/cli/program.ts';
import { INTRODUCTION } from './introduction.ts';
import { JSON_EXAMPLES } from './json-examples.ts';

/** The page docs/CLI.md, made from the definitions by which commands run and from which their help is made. */
export function commandPage(): string {
  const commands = leavesOf(definedProgram());
  const rows = commands.map(([name, command]) => `| [\`${name}\`](#${anchorOf(name)}) | ${command.description()} |`);
  return [
    INTRODUCTION,
    '## Commands',
    '',
    '| Command | What it does |',
    '|---|---|',
    ...rows,
    '',
    ...commands.map(([name, command]) => section(name, command)),
  ].join('\n');
}

/** The program as it is defined; none of its commands can be run. */
export function definedProgram(): Command {
  const context: Partial<CliContext> = { output: PLAIN_LOOK, errors: PLAIN_LOOK, wantsJson: false };
  return createProgram(context as CliContext, '0.0.0');
}

/** Commands that do something, each with its name from below the program on. */
export function leavesOf(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function section(name: string, command: Command): string {
  const manual = manualOf(command);
  if (manual === undefined) throw new Error(`${name} has no manual.`);
  const help = command.createHelp();
  const { notes = [], settings = [], examples } = manual;
  const exitCodes = Object.entries(exitCodesOf(manual)).filter(
    ([code, meaning]) => meaning !== Object.entries(USUAL_EXIT_CODES).find(([usual]) => usual === code)?.[1],
  );
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const documents = Object.entries(JSON_EXAMPLES).filter(([line]) => line === name || line.startsWith(`${name}, `));
  return [
    `### ${name}`,
    '',
    `${capitalised(command.description())}.`,
    '',
    fenced('text', usageOf(name, command)),
    '',
    ...table(
      'Argument',
      command.registeredArguments.map((argument) => argumentRow(argument)),
    ),
    ...table(
      'Option',
      options.map((option) => optionRow(option)),
    ),
    ...notes.flatMap((note) => [note, '']),
    ...(settings.length === 0 ? [] : [`Settings: ${settings.map((setting) => `\`${setting}\``).join(', ')}.`, '']),
    ...(exitCodes.length === 0
      ? []
      : [`Exit codes: ${exitCodes.map(([code, meaning]) => `${code}: ${meaning}`).join('; ')}.`, '']),
    fenced('sh', examples.map((line) => `${PROGRAM_NAME} ${line}`).join('\n')),
    '',
    ...documents.flatMap(([line, document]) => [
      `With \`--json\`${line.slice(name.length)}:`,
      '',
      fenced('json', JSON.stringify(document, null, 2)),
      '',
    ]),
  ].join('\n');
}

function usageOf(name: string, command: Command): string {
  return [PROGRAM_NAME, name, command.usage()].join(' ');
}

function table(heading: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : [`| ${heading} | |`, '|---|---|', ...rows, ''];
}

function optionRow(option: Option): string {
  const { flags, description, argChoices, mandatory, defaultValue } = option;
  const extra = [
    ...(mandatory ? ['needed'] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean' ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return `| \`${flags}\` | ${inTable([description, ...extra].join('; '))} |`;
}

function argumentRow({
  required,
  variadic,
  description,
  argChoices,
  ...argument
}: Argument & { _name?: string }): string {
  const name = `${argument._name}${variadic ? '...' : ''}`;
  const choices = argChoices === undefined ? '' : `; one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
  return `| \`${required ? `<${name}>` : `[${name}]`}\` | ${inTable(description + choices)} |`;
}

function inTable(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** As GitHub makes one of a heading. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
