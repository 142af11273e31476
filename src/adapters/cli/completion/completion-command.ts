import { Argument, Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual, PROGRAM_NAME } from '../command-manual.ts';

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

/** `completion`: prints a shell completion script. */
export function completionCommand(context: CliContext): Command {
  const command = new Command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number], _: object, self: Command) => {
      const { completionTree } = await import('./completion-tree.ts');
      context.print((await loadScript(shell))(PROGRAM_NAME, completionTree(self.parent ?? self)));
    });
  return addManual(command, MANUAL);
}

async function loadScript(shell: (typeof SHELLS)[number]) {
  if (shell === 'bash') return (await import('./bash-script.ts')).bashScript;
  if (shell === 'zsh') return (await import('./zsh-script.ts')).zshScript;
  return (await import('./fish-script.ts')).fishScript;
}
