/** What stands at the head of docs/CLI.md. */
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
| 2 | refused: options, settings, files or the machine are not as they have to be, and standard error says which; nothing was changed, unless it was standard output that could not be written to: the work is done then. Also the answer no of \`permission check\`, \`token inspect\`, \`audit verify\` and \`doctor\` |
| 128 + n | ended by signal n, as the shell counts it: 130 after Ctrl-C. \`serve\`, \`demo\` and \`audit tail\` are stopped that way, and end with 0 |

**Completion.** \`signing-service completion bash\` (or \`zsh\`, \`fish\`) prints a script; put it where your shell looks for it, or for one session:

\`\`\`sh
source <(signing-service completion bash)
\`\`\`
`;
