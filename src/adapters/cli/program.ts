import { Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addManual, PROGRAM_NAME } from './command-manual.ts';
import type { CommandGroup, MakeCommand } from './define-command.ts';
import { setUpHelp } from './terminal/help-style.ts';

/** Commands by name, in the order of the help. */
const COMMANDS: { readonly [name: string]: () => Promise<CommandGroup | MakeCommand> } = {
  serve: async () => (await import('./serve.ts')).SERVE,
  demo: async () => (await import('./demo.ts')).DEMO,
  init: async () => (await import('./init.ts')).INIT,
  status: async () => (await import('./status.ts')).STATUS,
  platform: async () => (await import('./platform.ts')).PLATFORM_GROUP,
  account: async () => (await import('./account.ts')).ACCOUNT_GROUP,
  permission: async () => (await import('./permission.ts')).PERMISSION_GROUP,
  policy: async () => (await import('./policy.ts')).POLICY_GROUP,
  budget: async () => (await import('./budget.ts')).BUDGET_GROUP,
  'master-key': async () => (await import('./master-key.ts')).MASTER_KEY_GROUP,
  audit: async () => (await import('./audit.ts')).AUDIT_GROUP,
  token: async () => (await import('./token.ts')).TOKEN_GROUP,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./backup.ts')).restoreCommand,
  doctor: async () => (await import('./doctor.ts')).DOCTOR,
  completion: async () => (await import('./completion.ts')).COMPLETION,
};

/** The program's name in front of a command or of `[options]`, not within a path. */
const NAMED = new RegExp(`(?<![\\w/.-])${PROGRAM_NAME}(?=\\s(?:${Object.keys(COMMANDS).join('|')}|\\[)\\b)`, 'g');

/**
 * Names the program in a text as it was called: advice such as `signing-service init` is typed
 * again.
 * @param called as typed: `node dist/cli.js`
 */
export function nameAsCalled(text: string, called: string): string {
  return called === PROGRAM_NAME ? text : text.replace(NAMED, () => called);
}

/** Words that ask for the version alone. */
const VERSION = ['-V', '--version'];

/**
 * The command line. It throws errors, including commander's; `command-line.ts` turns them into
 * messages and exit codes.
 * @param args arguments that will be parsed: only the module of the command that they name is
 * loaded. Absent, or if they name no command: the whole command line.
 */
export async function createProgram(
  context: CliContext,
  version: string,
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command(PROGRAM_NAME)
    .description('The signing service and its administration commands.')
    .version(version, '-V, --version', 'print the version')
    .addOption(new Option('--color', 'force colors (default: on a terminal only)'))
    .addOption(new Option('--no-color', 'disable colors, like NO_COLOR'));
  addManual(program, {
    notes: [
      'Settings are the environment variables SIGNING_* of the service, listed in docs/operators/configure.md. Every setting is validated, even if the command does not use it.',
      'A command terminated by a signal exits with 128 plus its number: 130 after Ctrl-C. serve, demo, audit tail and status --watch exit with 0 instead.',
    ],
    examples: ['init', 'platform add --preset kraken', 'account --help', 'doctor'],
  });
  const [first = ''] = args.filter((word) => word !== '--color' && word !== '--no-color');
  const isNamed = Object.hasOwn(COMMANDS, first);
  for (const [name, load] of VERSION.includes(first) ? [] : Object.entries(COMMANDS)) {
    if (!isNamed || name === first) program.addCommand(makeCommand(name, await load(), context));
  }
  for (const command of listCommands(program)) setUpHelp(command, context);
  return program;
}

/** A command and its descendants. */
export function listCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}

function makeCommand(name: string, made: CommandGroup | MakeCommand, context: CliContext): Command {
  if (typeof made === 'function') return made(name, context);
  const { description, examples, commands } = made;
  const group = new Command(name).description(description);
  for (const [subcommand, make] of Object.entries(commands)) group.addCommand(make(subcommand, context));
  return addManual(group, { examples });
}
