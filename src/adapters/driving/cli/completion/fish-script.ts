import { type CompletionNode, type CompletionOption, type CompletionValue, everyNode } from './completion-tree.ts';

/** A script for fish that completes the program's commands, options and their values, with what they are for. It starts nothing. */
export function fishScript(program: string, root: CompletionNode): string {
  const nodes = everyNode(root);
  const name = `__${program.replaceAll('-', '_')}`;
  const lines = nodes.flatMap((node) => {
    const line = (rest: string) => `complete -c ${program} -n '${name}_at "${pathOf(node.path)}"' ${rest}`;
    return [
      ...node.children.map((child) => line(`-f -a ${quoted(child.path.at(-1) ?? '')} -d ${quoted(child.description)}`)),
      ...argumentParts(node.argument).map(line),
      ...node.options.map((option) => line(optionParts(option))),
    ];
  });
  return `# fish completion of ${program}; load it with: ${program} completion fish | source
function ${name}_at
  set -l at
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => `      case ${pathOf(path)}\n        set at ${pathOf(path)}`)
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

function pathOf(path: readonly string[]): string {
  return path.map((step) => `/${step}`).join('');
}

function argumentParts(argument: CompletionValue | null): readonly string[] {
  if (argument?.kind === 'choices') return [`-f -a ${quoted(argument.choices.join(' '))}`];
  return argument?.kind === 'file' ? ['-F'] : [];
}

function optionParts({ short, long, description, value }: CompletionOption): string {
  const flags = `${short === null ? '' : `-s ${short} `}-l ${long} -d ${quoted(description)}`;
  if (value === null) return flags;
  if (value.kind === 'choices') return `${flags} -x -a ${quoted(value.choices.join(' '))}`;
  return value.kind === 'file' ? `${flags} -r -F` : `${flags} -x`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
