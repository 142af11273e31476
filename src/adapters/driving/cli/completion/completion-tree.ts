import type { Argument, Command, Option } from 'commander';
import { suggestedValues } from './suggested-values.ts';

/** What a shell has to know of a command to complete it. */
export interface CompletionNode {
  /** Names from below the program on: `['account', 'add']`; empty for the program. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletionOption[];
  /** What its first argument may be; null where it takes none. */
  readonly argument: CompletionValue | null;
  readonly children: readonly CompletionNode[];
}

/** An option, as a shell has to know it. */
export interface CompletionOption {
  /** Without dashes; null where it has none. */
  readonly short: string | null;
  /** Without dashes. */
  readonly long: string;
  readonly description: string;
  /** What stands behind it; null: nothing. */
  readonly value: CompletionValue | null;
  /** Whether more than one may stand behind it. */
  readonly isVariadic: boolean;
}

/** What a value can be completed to: one of these words, the path of a file, or nothing that is known. */
export type CompletionValue =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'file' | 'text' };

/** What is known of a command and everything below it, from the definitions by which it is run and which its help shows. */
export function completionTree(
  command: Command,
  path: readonly string[] = [],
  inherited: readonly Option[] = [],
): CompletionNode {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...inherited];
  const passedOn = path.length === 0 ? command.options.filter(({ long }) => long !== '--version') : inherited;
  const [argument] = command.registeredArguments;
  return {
    path,
    description: command.summary() || command.description(),
    options: options.map(optionOf),
    argument: argument === undefined ? null : valueOfPart(argument, argument.name()),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => completionTree(child, [...path, child.name()], passedOn)),
  };
}

/** A node and everything below it. */
export function everyNode(node: CompletionNode): readonly CompletionNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}

function optionOf(option: Option): CompletionOption {
  const { short = null, long = '', description, required, optional, variadic } = option;
  const name = /<([^.>]*)/.exec(option.flags)?.[1] ?? '';
  return {
    short: short?.replace(/^-/, '') ?? null,
    long: long?.replace(/^--/, '') ?? '',
    description,
    value: required || optional ? valueOfPart(option, name) : null,
    isVariadic: variadic,
  };
}

function valueOfPart(of: Option | Argument, name: string): CompletionValue {
  const choices = of.argChoices ?? suggestedValues(of);
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: name === 'file' || name === 'files' ? 'file' : 'text' };
}
