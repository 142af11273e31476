import type { Argument, Command, Option } from 'commander';

const SUGGESTED = new WeakMap<Option | Argument, () => readonly string[]>();

/** Adds suggestions to an option or argument with too many choices for its help. Returns it. */
export function withSuggestions<Part extends Option | Argument>(part: Part, list: () => readonly string[]): Part {
  SUGGESTED.set(part, list);
  return part;
}

/** Its suggestions. */
export function suggestedValues(part: Option | Argument): readonly string[] | undefined {
  return SUGGESTED.get(part)?.();
}

/** A command, for completion. */
export interface CompletionNode {
  /** Below the program: `['account', 'add']`; empty for the program. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletionOption[];
  /** Completion of its first argument; null: none. */
  readonly argument: CompletionValue | null;
  readonly children: readonly CompletionNode[];
}

/** An option, for completion. */
export interface CompletionOption {
  /** Without dashes; null: none. */
  readonly short: string | null;
  /** Without dashes. */
  readonly long: string;
  readonly description: string;
  /** Completion of its value; null: none. */
  readonly value: CompletionValue | null;
  /** Whether it takes several values. */
  readonly isVariadic: boolean;
}

/** Words, a file path, or free text. */
export type CompletionValue =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'file' | 'text' };

/** Builds the tree from the definitions that commands and help use. */
export function completionTree(
  command: Command,
  path: readonly string[] = [],
  inherited: readonly Option[] = [],
): CompletionNode {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...inherited];
  const global = path.length === 0 ? command.options.filter(({ long }) => long !== '--version') : inherited;
  const [argument] = command.registeredArguments;
  return {
    path,
    description: command.summary() || command.description(),
    options: options.map(toOption),
    argument: argument === undefined ? null : toValue(argument, argument.name()),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => completionTree(child, [...path, child.name()], global)),
  };
}

/** A node and its descendants. */
export function listNodes(node: CompletionNode): readonly CompletionNode[] {
  return [node, ...node.children.flatMap(listNodes)];
}

/** `/account/add`; empty for the program. */
export function formatPath(path: readonly string[]): string {
  return path.map((step) => `/${step}`).join('');
}

/** `-n` and `--lines`. */
export function listFlags({ short, long }: CompletionOption): readonly string[] {
  return [...(short === null ? [] : [`-${short}`]), `--${long}`];
}

/** Patterns of a variadic option, which completes its second and later values, too. */
export function listVariadics(nodes: readonly CompletionNode[]): readonly string[] {
  return nodes.flatMap(({ path, options }) =>
    options
      .filter(({ isVariadic }) => isVariadic)
      .flatMap((option) => listFlags(option).map((flag) => `"${formatPath(path)} ${flag}"`)),
  );
}

function toOption(option: Option): CompletionOption {
  const { short = null, long = '', description, required, optional, variadic } = option;
  const name = /<([^.>]*)/.exec(option.flags)?.[1] ?? '';
  return {
    short: short?.replace(/^-/, '') ?? null,
    long: long?.replace(/^--/, '') ?? '',
    description,
    value: required || optional ? toValue(option, name) : null,
    isVariadic: variadic,
  };
}

function toValue(of: Option | Argument, name: string): CompletionValue {
  const choices = of.argChoices ?? suggestedValues(of);
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: name === 'file' || name === 'files' ? 'file' : 'text' };
}
