import type { Argument, Command, Option } from 'commander';
import type { CliContext } from '../../src/adapters/cli/cli-context.ts';
import { formatExitCodes, getManual, PROGRAM_NAME, USUAL_EXIT_CODES } from '../../src/adapters/cli/command-manual.ts';
import { createProgram } from '../../src/adapters/cli/program.ts';
import { PLAIN_STYLE } from '../../src/adapters/cli/terminal/style.ts';
import { JSON_EXAMPLES } from './json-examples.ts';

/** Head of docs/CLI.md. */
export const INTRODUCTION = `# The command line

Everything that configures the service, runs it and looks into it. This page is made by \`npm run generate -- docs\` from the definitions by which commands run; \`--help\` of each command says the same.

\`\`\`sh
node dist/cli.js --help        # in this folder, after npm run build
signing-service --help         # where the package is installed
\`\`\`

![On a terminal: an import that is refused with its faults, one that adds three accounts, a list of accounts, a misspelt command, doctor](images/command-line.png)

- **Settings** are the environment variables of the service, \`SIGNING_*\`; the [README](../README.md#settings) lists them all. Each command names those that decide what it does. All that are set are checked, and an unknown one is an error that names the nearest.
- **Secrets** never stand on a command line and are never printed. Keys are made here or read from files; passphrases are asked for at the terminal.
- **JSON.** \`--json\` prints one document, with the members that stand below. Members are added in later versions, and none is renamed or removed without a new major version. Errors are JSON as well then, the last line of standard error:
  \`{"error":{"message":"…","exitCode":2}}\`. \`audit tail --json\` prints the lines of the audit file as they are.
- **Colours** are shown on a terminal, and nowhere else. \`NO_COLOR=1\` or \`--no-color\` switches them off, \`FORCE_COLOR=1\` or \`--color\` on; the option wins. Nothing is said by colour alone.
- **Width.** Help, tables and progress keep to the width of the terminal. In a pipe and in a file nothing is cut, and no progress is shown.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | an error that nobody expected; standard error has the stack |
| 2 | refused: options, settings, files or the machine are not as they have to be, and standard error says which; nothing was changed, unless it was standard output that could not be written to: the work is done then. Also the answer no of \`permission check\`, \`policy check\`, \`token inspect\`, \`audit verify\` and \`doctor\` |
| 128 + n | ended by signal n, as the shell counts it: 130 after Ctrl-C. \`serve\`, \`demo\` and \`audit tail\` are stopped that way, and end with 0 |

**Completion.** \`signing-service completion bash\` (or \`zsh\`, \`fish\`) prints a script; put it where your shell looks for it, or for one session:

\`\`\`sh
source <(signing-service completion bash)
\`\`\`
`;

/** docs/CLI.md, from the definitions of the commands. */
export function commandPage(): string {
  const commands = listLeaves(definedProgram());
  const rows = commands.map(([name, command]) => `| [\`${name}\`](#${toAnchor(name)}) | ${command.description()} |`);
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

/** The program; its commands can't be run. */
export function definedProgram(): Command {
  const context: Partial<CliContext> = { output: PLAIN_STYLE, errors: PLAIN_STYLE, wantsJson: false };
  return createProgram(context as CliContext, '0.0.0');
}

/** All commands without subcommands, by full name. */
export function listLeaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => listLeaves(child, [...path, child.name()]));
}

function section(name: string, command: Command): string {
  const manual = getManual(command);
  if (manual === undefined) throw new Error(`${name} has no manual.`);
  const help = command.createHelp();
  const { notes = [], settings = [], examples } = manual;
  const exitCodes = Object.entries(formatExitCodes(manual)).filter(
    ([code, meaning]) => meaning !== Object.entries(USUAL_EXIT_CODES).find(([usual]) => usual === code)?.[1],
  );
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const documents = Object.entries(JSON_EXAMPLES).filter(([line]) => line === name || line.startsWith(`${name}, `));
  return [
    `### ${name}`,
    '',
    `${capitalised(command.description())}.`,
    '',
    fenced('text', formatUsage(name, command)),
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

function formatUsage(name: string, command: Command): string {
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

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** GitHub's anchor of a heading. */
function toAnchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
