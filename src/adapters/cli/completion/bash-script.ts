import {
  type CompletionNode,
  type CompletionOption,
  type CompletionValue,
  formatPath,
  listFlags,
  listNodes,
  listVariadics,
} from './completion-tree.ts';

/** A bash completion script (4.4 or newer) for commands, options and values. */
export function bashScript(program: string, root: CompletionNode): string {
  const nodes = listNodes(root);
  const name = `_${program.replaceAll('-', '_')}`;
  return `# bash completion of ${program}; load it with: source <(${program} completion bash)
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= option= word i
  COMPREPLY=()
  # bash splits --option=value into three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path/$word" in
${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      ${formatPath(path)}) path=${formatPath(path)} ;;`)
  .join('\n')}
    esac
    [[ $word == -* ]] && option=$word
  done
  local before=$prev
  if [[ $cur != -* ]]; then
    case "$path $option" in
${formatVariadics(nodes)}
    esac
  fi
  case "$path $before" in
${nodes.flatMap((node) => node.options.flatMap((option) => formatValues(node, option))).join('\n')}
  esac
  local words= files=
  case "$path" in
${nodes.map(formatNode).join('\n')}
  esac
  local options=
  case "$path" in
${nodes.map(({ path, options }) => `    "${formatPath(path)}") options=${quote(options.flatMap(listFlags))} ;;`).join('\n')}
  esac
  if [[ $cur == -* || -z $words$files ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F ${name} ${program}
`;
}

function formatVariadics(nodes: readonly CompletionNode[]): string {
  const patterns = listVariadics(nodes);
  return patterns.length === 0 ? '      "") ;;' : `      ${patterns.join(' | ')}) before=$option ;;`;
}

function formatValues({ path }: CompletionNode, option: CompletionOption): readonly string[] {
  if (option.value === null) return [];
  const patterns = listFlags(option)
    .map((flag) => `"${formatPath(path)} ${flag}"`)
    .join(' | ');
  return [`    ${patterns}) ${formatAction(option.value)}return ;;`];
}

function formatAction(value: CompletionValue): string {
  if (value.kind === 'choices') return `COMPREPLY=($(compgen -W ${quote(value.choices)} -- "$cur")); `;
  return value.kind === 'file'
    ? 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); '
    : '';
}

function formatNode({ path, children, argument }: CompletionNode): string {
  const words = [
    ...children.map((child) => child.path.at(-1) ?? ''),
    ...(argument?.kind === 'choices' ? argument.choices : []),
  ];
  return `    "${formatPath(path)}") words=${quote(words)}${argument?.kind === 'file' ? ' files=yes' : ''} ;;`;
}

/** Definitions consist of safe characters. */
function quote(words: readonly string[]): string {
  return `'${words.join(' ')}'`;
}
