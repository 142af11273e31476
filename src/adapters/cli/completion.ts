import { Argument, type Command, type Option } from 'commander';
import { COMPLETE, PROGRAM_NAME } from './command-manual.ts';
import { defineCommand } from './define-command.ts';
import type { Input } from './inputs.ts';

const SUGGESTED = new WeakMap<object, () => readonly string[]>();

/** Adds suggestions to an option or argument with too many choices for its help. Returns it. */
export function withSuggestions<Part extends object>(part: Part, list: () => readonly string[]): Part {
  SUGGESTED.set(part, list);
  return part;
}

/** Stands for paths of files, which the shell completes. */
const FILES = '@files';

/**
 * What can be typed instead of the last word: a line for each suggestion, with its description
 * after a tab.
 * @param words after the program's name, the last one perhaps empty
 */
export function complete(program: Command, words: readonly string[]): string {
  // bash has --option=value as three words.
  const [last = '', ...before] = words.map((word) => (word === '=' ? '' : word)).toReversed();
  let command = program;
  let option: Option | undefined;
  let position = 0;
  for (const word of before.filter((word) => word !== '').toReversed()) {
    const child = command.commands.find((one) => one.name() === word);
    if (word.startsWith('-')) option = findOption(command, word);
    else if (option !== undefined) option = option.variadic ? option : undefined;
    else if (child !== undefined) command = child;
    else position += 1;
  }
  const [, flag] = /^(--[^=]+)=/.exec(last) ?? [];
  const suggestions =
    flag !== undefined
      ? listValues(findOption(command, flag), `${flag}=`)
      : last.startsWith('-')
        ? listFlags(command)
        : option !== undefined
          ? listValues(option)
          : command.commands.length > 0
            ? command.commands.map((one) => [one.name(), one.summary() || one.description()] as const)
            : listArgument(command, position);
  return suggestions
    .filter(([word]) => word === FILES || word.startsWith(last))
    .map((line) => `${line.join('\t')}\n`)
    .join('');
}

type Suggestion = readonly [word: string, description?: string];

function listOptions(command: Command): readonly Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

/** The option with this flag, if it takes a value. */
function findOption(command: Command, flag: string): Option | undefined {
  return listOptions(command).find(
    ({ short, long, required, optional }) => [short, long].includes(flag) && (required || optional),
  );
}

function listFlags(command: Command): readonly Suggestion[] {
  return listOptions(command).flatMap(({ short, long, description }) =>
    [short, long].flatMap((flag) => (flag ? [[flag, description] as const] : [])),
  );
}

function listArgument(command: Command, position: number): readonly Suggestion[] {
  const all = command.registeredArguments;
  const argument = all[position] ?? all.findLast(({ variadic }) => variadic);
  return argument === undefined ? listFlags(command) : listValues(argument);
}

function listValues(part: Option | Argument | undefined, prefix = ''): readonly Suggestion[] {
  if (part === undefined) return [];
  const words = part.argChoices ?? SUGGESTED.get(part)?.();
  // A shell would expand it.
  if (words !== undefined) return words.filter((word) => word !== '*').map((word) => [`${prefix}${word}`]);
  const name = 'flags' in part ? /<([^.>]*)/.exec(part.flags)?.[1] : part.name();
  return /^(file|folder)s?$/.test(name ?? '') ? [[FILES]] : [];
}

/** Scripts that ask the program. */
const SCRIPTS = {
  bash: `# bash completion of ${PROGRAM_NAME}; load it with: source <(${PROGRAM_NAME} completion bash)
_signing_service() {
  local cur=\${COMP_WORDS[COMP_CWORD]}
  mapfile -t COMPREPLY < <("$1" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${COMPREPLY[0]} == ${FILES} ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
  fi
}
complete -F _signing_service ${PROGRAM_NAME}
`,
  zsh: `#compdef ${PROGRAM_NAME}
# zsh completion of ${PROGRAM_NAME}; load it with: source <(${PROGRAM_NAME} completion zsh), after compinit
_signing_service() {
  local -a lines=("\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${lines[1]} == ${FILES} ]]; then
    compset -P '*='
    _files
  else
    lines=("\${(@)lines//:/\\\\:}")
    lines=("\${(@)lines/$'\\t'/:}")
    _describe value lines
  fi
}
if [[ \${funcstack[1]} == _signing_service ]]; then _signing_service "$@"; else compdef _signing_service ${PROGRAM_NAME}; fi
`,
  fish: `# fish completion of ${PROGRAM_NAME}; load it with: ${PROGRAM_NAME} completion fish | source
function __signing_service
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l lines ($words[1] ${COMPLETE} $words[2..-1] "$last" 2>/dev/null)
  if test "$lines[1]" = ${FILES}
    __fish_complete_path "$last"
  else
    printf '%s\\n' $lines
  end
end
complete -c ${PROGRAM_NAME} -f -a '(__signing_service)'
`,
};

/** `completion`: prints a shell completion script. */
export const COMPLETION = defineCommand({
  description: 'print a shell completion script',
  inputs: { shell: new Argument('<shell>', 'shell').choices(Object.keys(SCRIPTS)) as Input<keyof typeof SCRIPTS> },
  manual: {
    notes: [
      'The script completes commands, options and values. It asks the installed program, which reads no settings and no file of the installation for it.',
    ],
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/signing-service',
      'completion zsh > ~/.zsh/completions/_signing-service',
      'completion fish > ~/.config/fish/completions/signing-service.fish',
    ],
  },
  run: async ({ shell }, session) => session.print(SCRIPTS[shell]),
});
