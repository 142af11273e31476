import { readFileSync } from 'node:fs';
import type { Argument, Command, Option } from 'commander';
import { formatExitCodes, getManual, PROGRAM_NAME, USUAL_EXIT_CODES } from '../../src/adapters/cli/command-manual.ts';
import { definedProgram, listLeaves } from '../../tests/harness/command-definitions.ts';
import { fenced } from './generated-part.ts';

/**
 * Output with `--json` by command, with the case where it matters; a test compares its shapes with
 * real output.
 */
const JSON_EXAMPLES: { readonly [commandLine: string]: object } = JSON.parse(
  readFileSync(new URL('../../docs/examples/command-output.json', import.meta.url), 'utf8'),
);

/** The sections of docs/operators/command-line.md, from the definitions of the commands. */
export async function commandSections(): Promise<string> {
  return listLeaves(await definedProgram())
    .map(([name, command]) => section(name, command))
    .join('\n');
}

function section(name: string, command: Command): string {
  const manual = getManual(command);
  if (manual === undefined) throw new Error(`${name} has no manual.`);
  const help = command.createHelp();
  const { notes = [], settings = [], examples } = manual;
  const exitCodes = Object.entries(formatExitCodes(manual)).filter(
    ([code, meaning]) => meaning !== Object.entries(USUAL_EXIT_CODES).find(([usual]) => usual === code)?.[1],
  );
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help' && long !== '--json');
  const documents = Object.entries(JSON_EXAMPLES).filter(([line]) => line === name || line.startsWith(`${name}, `));
  return [
    `### ${name}`,
    '',
    `${capitalised(command.description())}.`,
    '',
    ...(command.registeredArguments.length === 0 ? [] : [fenced('text', formatUsage(name, command)), '']),
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

function formatUsage(name: string, command: Command): string {
  return [PROGRAM_NAME, name, command.usage()].join(' ');
}

function table(heading: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : [`| ${heading} | |`, '|---|---|', ...rows, ''];
}

function optionRow(option: Option): string {
  const { flags, description, argChoices, mandatory, defaultValue } = option;
  const extra = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean' ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return `| \`${flags}\` | ${escapeCell([description, ...extra].join('; '))} |`;
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
  return `| \`${required ? `<${name}>` : `[${name}]`}\` | ${escapeCell(description + choices)} |`;
}

/** Inline code shows `<` as it is. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
