import { Argument, Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { type CommandManual, PROGRAM_NAME, withManual } from './command-manual.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const MANUAL: CommandManual = {
  notes: [
    'The script knows the commands, their options and the values that these take; it starts nothing when a Tab is pressed. Load it in the start file of your shell, and make it anew after an update.',
  ],
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/signing-service',
    'completion zsh > ~/.zsh/completions/_signing-service',
    'completion fish > ~/.config/fish/completions/signing-service.fish',
  ],
};

/** `completion`: prints a script by which a shell completes this program's commands and options. */
export function completionCommand(context: CliContext): Command {
  const command = new Command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number], _: object, self: Command) => {
      const { completionTree } = await import('./completion/completion-tree.ts');
      context.print((await scriptOf(shell))(PROGRAM_NAME, completionTree(self.parent ?? self)));
    });
  return withManual(command, MANUAL);
}

async function scriptOf(shell: (typeof SHELLS)[number]) {
  if (shell === 'bash') return (await import('./completion/bash-script.ts')).bashScript;
  if (shell === 'zsh') return (await import('./completion/zsh-script.ts')).zshScript;
  return (await import('./completion/fish-script.ts')).fishScript;
}
