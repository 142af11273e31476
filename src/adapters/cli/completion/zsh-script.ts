import {
  type CompletionNode,
  type CompletionOption,
  type CompletionValue,
  formatPath,
  listFlags,
  listNodes,
  listVariadics,
} from './completion-tree.ts';

/** A zsh completion script for commands, options and values, with descriptions. */
export function zshScript(program: string, root: CompletionNode): string {
  const nodes = listNodes(root);
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
  .map(({ path }) => `      (${formatPath(path)}) at=${formatPath(path)} ;;`)
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
${formatVariadics(nodes)}
    esac
  fi
  case "$at $before" in
${nodes.flatMap((node) => node.options.flatMap((option) => formatValues(node, option))).join('\n')}
  esac
  local -a commands options
  case "$at" in
${nodes.map(formatNode).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options; return; fi
  case "$at" in
${nodes.flatMap(formatArgument).join('\n')}
  esac
  if (( \${#commands} )); then _describe command commands; else _describe -o option options; fi
}
if [[ \${funcstack[1]} == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function formatVariadics(nodes: readonly CompletionNode[]): string {
  const patterns = listVariadics(nodes);
  return patterns.length === 0 ? '      ("") ;;' : `      (${patterns.join('|')}) before=$option ;;`;
}

function formatValues({ path }: CompletionNode, option: CompletionOption): readonly string[] {
  if (option.value === null) return [];
  const patterns = listFlags(option)
    .map((flag) => `"${formatPath(path)} ${flag}"`)
    .join('|');
  return [`    (${patterns}) ${formatAction(option.value)}; return ;;`];
}

function formatAction(value: CompletionValue): string {
  if (value.kind === 'choices') return `compadd -- ${value.choices.join(' ')}`;
  return value.kind === 'file' ? '_files' : '_message value';
}

function formatNode({ path, children, options }: CompletionNode): string {
  const commands = children.map((child) => formatDescription(child.path.at(-1) ?? '', child.description)).join(' ');
  const flags = options
    .flatMap((option) => listFlags(option).map((flag) => formatDescription(flag, option.description)))
    .join(' ');
  return `    ("${formatPath(path)}") commands=(${commands}) options=(${flags}) ;;`;
}

function formatArgument({ path, argument }: CompletionNode): readonly string[] {
  return argument === null ? [] : [`    ("${formatPath(path)}") ${formatAction(argument)}; return ;;`];
}

/** A name and its description, quoted. */
function formatDescription(name: string, description: string): string {
  return `'${name}:${description.replaceAll('\\', '\\\\').replaceAll("'", "'\\''")}'`;
}
