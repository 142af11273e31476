import { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';

const MANUAL: CommandManual = {
  notes: ['It reads every setting.'],
  exitCodes: {
    0: 'it was stopped by a signal, and nothing that was in flight was lost',
    2: 'it did not start; standard error says why',
  },
  examples: ['serve'],
};

/** `serve`: runs the service. */
export function serveCommand(context: CliContext): Command {
  const command = new Command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .action(() => context.serve(context.environment));
  return addManual(command, MANUAL);
}
