import { type CompletionNode, type CompletionOption, type CompletionValue, everyNode } from './completion-tree.ts';

/** A script for zsh that completes the program's commands, options and their values, with what they are for. It starts nothing. */
export function zshScript(program: string, root: CompletionNode): string {
  const nodes = everyNode(root);
  const name = `_${program.replaceAll('-', '_')}`;
  return `#compdef ${program}
# zsh completion of ${program}; load it with: source <(${program} completion zsh), after compinit
${name}() {
  local at= option= word i
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case "$at/$word" in
${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      (${pathOf(path)}) at=${pathOf(path)} ;;`)
  .join('\n')}
    esac
    [[ $word == -* ]] && option=$word
  done
  local before=\${words[CURRENT-1]}
  # --option=value is one word.
  if [[ \${words[CURRENT]} == --*=* ]]; then
    before=\${words[CURRENT]%%=*}
    compset -P '*='
  elif [[ \${words[CURRENT]} != -* ]]; then
    case "$at $option" in
${variadicLine(nodes)}
    esac
  fi
  case "$at $before" in
${nodes.flatMap((node) => node.options.flatMap((option) => valueLines(node, option))).join('\n')}
  esac
  local -a commands options
  case "$at" in
${nodes.map(nodeLines).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options; return; fi
  case "$at" in
${nodes.flatMap(argumentLine).join('\n')}
  esac
  if (( \${#commands} )); then _describe command commands; else _describe -o option options; fi
}
if [[ \${funcstack[1]} == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function pathOf(path: readonly string[]): string {
  return path.map((step) => `/${step}`).join('');
}

/** Behind the first of several values stands another, so the option is what counts. */
function variadicLine(nodes: readonly CompletionNode[]): string {
  const patterns = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ isVariadic }) => isVariadic)
      .flatMap((option) => flagsOf(option).map((flag) => `"${pathOf(path)} ${flag}"`)),
  );
  return patterns.length === 0 ? '      ("") ;;' : `      (${patterns.join('|')}) before=$option ;;`;
}

function valueLines({ path }: CompletionNode, option: CompletionOption): readonly string[] {
  if (option.value === null) return [];
  const patterns = flagsOf(option)
    .map((flag) => `"${pathOf(path)} ${flag}"`)
    .join('|');
  return [`    (${patterns}) ${valueAction(option.value)}; return ;;`];
}

function valueAction(value: CompletionValue): string {
  if (value.kind === 'choices') return `compadd -- ${value.choices.join(' ')}`;
  return value.kind === 'file' ? '_files' : '_message value';
}

function nodeLines({ path, children, options }: CompletionNode): string {
  const commands = children.map((child) => described(child.path.at(-1) ?? '', child.description)).join(' ');
  const flags = options
    .flatMap((option) => flagsOf(option).map((flag) => described(flag, option.description)))
    .join(' ');
  return `    ("${pathOf(path)}") commands=(${commands}) options=(${flags}) ;;`;
}

function argumentLine({ path, argument }: CompletionNode): readonly string[] {
  return argument === null ? [] : [`    ("${pathOf(path)}") ${valueAction(argument)}; return ;;`];
}

function flagsOf({ short, long }: CompletionOption): readonly string[] {
  return [...(short === null ? [] : [`-${short}`]), `--${long}`];
}

/** A name and what it is for, as one word of the shell. */
function described(name: string, description: string): string {
  return `'${name}:${description.replaceAll('\\', '\\\\').replaceAll("'", "'\\''")}'`;
}
