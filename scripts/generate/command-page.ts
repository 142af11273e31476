import { readFileSync } from 'node:fs';
import type { Argument, Command, Option } from 'commander';
import { formatExitCodes, getManual, PROGRAM_NAME, USUAL_EXIT_CODES } from '../../src/adapters/cli/command-manual.ts';
import { definedProgram, listLeaves } from '../../tests/harness/command-definitions.ts';
import { GENERATED_MARK } from './generated-mark.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

/**
 * Output with `--json` by command, with the case where it matters; a test compares its shapes with
 * real output.
 */
const JSON_EXAMPLES: { readonly [commandLine: string]: object } = JSON.parse(
  readFileSync(new URL('../../docs/examples/command-output.json', import.meta.url), 'utf8'),
);

/** Head of docs/operators/command-line.md. */
const INTRODUCTION = `${GENERATED_MARK}# Command line

For operators: every command; \`--help\` shows the same.

\`\`\`sh
node dist/cli.js --help        # in a clone, after npm run build
signing-service --help         # with the package installed
\`\`\`

![Terminal: a rejected import with its issues, one that adds three accounts, a list of accounts, a misspelled command, doctor](../images/command-line.png)

- **Settings** are the environment variables \`SIGNING_*\` of the service ([configuration](configure.md#settings)). All settings are validated. An unknown setting
is an error, with a suggestion of the nearest name.
- **Secrets** are never arguments and never printed. Keys are generated or read from files, and passphrases are typed on the terminal.
- **JSON.** \`--json\` prints one document with the members shown below. Later versions may add members; only a major version renames or removes one.
Errors are JSON too, as the last line of standard error: \`{"error":{"message":"…","exitCode":2}}\`. \`audit tail --json\` prints the lines of the audit file unchanged.
- **Colors** are used on a terminal only. \`NO_COLOR=1\` or \`--no-color\` disables them, \`FORCE_COLOR=1\` or \`--color\` forces them; options take precedence. No information is conveyed by color alone.
- **Width.** Help, tables and progress fit the terminal. Output to a pipe or file is not truncated and shows no progress.

| Exit code | Meaning |
|---|---|
| 0 | Success |
| 1 | Unexpected error; standard error has the stack trace |
| 2 | Rejected: an option, setting or file is invalid, or the machine does not meet a requirement. Standard error has the reason. Nothing was changed, unless only writing to standard output failed. Also the negative result of \`permission check\`, \`policy check\`, \`token inspect\`, \`audit verify\` and \`doctor\` |
| 3 | \`audit verify\` only: no fault found, but the check is incomplete |
| 4, 5 | \`status\` only: the service is not ready; it cannot be reached or refuses |
| 128 + n | Terminated by signal n: 130 after Ctrl-C. \`serve\`, \`demo\`, \`audit tail\` and \`status --watch\` exit with 0 instead |

**Completion.** \`signing-service completion bash\` (or \`zsh\`, \`fish\`) prints a completion script. For one session:

\`\`\`sh
source <(signing-service completion bash)
\`\`\`
`;

/** docs/operators/command-line.md, from the definitions of the commands. */
export async function commandPage(): Promise<string> {
  const commands = listLeaves(await definedProgram());
  return wrapMarkdown(
    [INTRODUCTION, '## Commands', '', ...commands.map(([name, command]) => section(name, command))].join('\n'),
  );
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
function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
