import type { Command } from 'commander';
import type { CliContext } from '../../src/adapters/cli/cli-context.ts';
import { createProgram } from '../../src/adapters/cli/program.ts';
import { PLAIN_STYLE } from '../../src/adapters/cli/terminal/style.ts';

/** The program; its commands cannot be run. */
export async function definedProgram(): Promise<Command> {
  const context: Partial<CliContext> = { output: PLAIN_STYLE, errors: PLAIN_STYLE, wantsJson: false };
  return createProgram(context as CliContext, '0.0.0');
}

/** All commands without subcommands, by full name. */
export function listLeaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => listLeaves(child, [...path, child.name()]));
}
