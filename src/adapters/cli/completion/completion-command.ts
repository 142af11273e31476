import { Argument, Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual, PROGRAM_NAME } from '../command-manual.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const MANUAL: CommandManual = {
  notes: [
    'The script completes commands, options and values without running the program. Regenerate it after an update.',
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
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
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
