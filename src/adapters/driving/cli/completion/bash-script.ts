import { type CompletionNode, type CompletionOption, type CompletionValue, everyNode } from './completion-tree.ts';

/** A script for bash (4.4 or newer) that completes the program's commands, options and their values. It starts nothing. */
export function bashScript(program: string, root: CompletionNode): string {
  const nodes = everyNode(root);
  const name = `_${program.replaceAll('-', '_')}`;
  return `# bash completion of ${program}; load it with: source <(${program} completion bash)
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= option= word i
  COMPREPLY=()
  # What stands behind the = of --option=value is a word of its own.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path/$word" in
${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      ${pathOf(path)}) path=${pathOf(path)} ;;`)
  .join('\n')}
    esac
    [[ $word == -* ]] && option=$word
  done
  local before=$prev
  if [[ $cur != -* ]]; then
    case "$path $option" in
${variadicLine(nodes)}
    esac
  fi
  case "$path $before" in
${nodes.flatMap((node) => node.options.flatMap((option) => valueLines(node, option))).join('\n')}
  esac
  local words= files=
  case "$path" in
${nodes.map(nodeLine).join('\n')}
  esac
  local options=
  case "$path" in
${nodes.map(({ path, options }) => `    "${pathOf(path)}") options=${quoted(options.flatMap(flagsOf))} ;;`).join('\n')}
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
  return patterns.length === 0 ? '      "") ;;' : `      ${patterns.join(' | ')}) before=$option ;;`;
}

function valueLines({ path }: CompletionNode, option: CompletionOption): readonly string[] {
  if (option.value === null) return [];
  const patterns = flagsOf(option)
    .map((flag) => `"${pathOf(path)} ${flag}"`)
    .join(' | ');
  return [`    ${patterns}) ${valueAction(option.value)}return ;;`];
}

function valueAction(value: CompletionValue): string {
  if (value.kind === 'choices') return `COMPREPLY=($(compgen -W ${quoted(value.choices)} -- "$cur")); `;
  return value.kind === 'file'
    ? 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); '
    : '';
}

function nodeLine({ path, children, argument }: CompletionNode): string {
  const words = [
    ...children.map((child) => child.path.at(-1) ?? ''),
    ...(argument?.kind === 'choices' ? argument.choices : []),
  ];
  return `    "${pathOf(path)}") words=${quoted(words)}${argument?.kind === 'file' ? ' files=yes' : ''} ;;`;
}

function flagsOf({ short, long }: CompletionOption): readonly string[] {
  return [...(short === null ? [] : [`-${short}`]), `--${long}`];
}

/** Words of letters, digits and the like alone come from definitions. */
function quoted(words: readonly string[]): string {
  return `'${words.join(' ')}'`;
}
