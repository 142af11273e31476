import {
  type CompletionNode,
  type CompletionOption,
  type CompletionValue,
  formatPath,
  listNodes,
} from './completion-tree.ts';

/** A fish completion script for commands, options and values, with descriptions. */
export function fishScript(program: string, root: CompletionNode): string {
  const nodes = listNodes(root);
  const name = `__${program.replaceAll('-', '_')}`;
  const lines = nodes.flatMap((node) => {
    const line = (rest: string) => `complete -c ${program} -n '${name}_at "${formatPath(node.path)}"' ${rest}`;
    return [
      ...node.children.map((child) => line(`-f -a ${quote(child.path.at(-1) ?? '')} -d ${quote(child.description)}`)),
      ...formatArgument(node.argument).map(line),
      ...node.options.map((option) => line(formatOption(option))),
    ];
  });
  return `# fish completion of ${program}; load it with: ${program} completion fish | source
function ${name}_at
  set -l at
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      case ${formatPath(path)}\n        set at ${formatPath(path)}`)
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function formatArgument(argument: CompletionValue | null): readonly string[] {
  if (argument?.kind === 'choices') return [`-f -a ${quote(argument.choices.join(' '))}`];
  return argument?.kind === 'file' ? ['-F'] : [];
}

function formatOption({ short, long, description, value }: CompletionOption): string {
  const flags = `${short === null ? '' : `-s ${short} `}-l ${long} -d ${quote(description)}`;
  if (value === null) return flags;
  if (value.kind === 'choices') return `${flags} -x -a ${quote(value.choices.join(' '))}`;
  return value.kind === 'file' ? `${flags} -r -F` : `${flags} -x`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
