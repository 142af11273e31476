import { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';

const MANUAL: CommandManual = {
  notes: ['It uses all settings.'],
  exitCodes: {
    0: 'stopped by a signal; in-flight requests were completed',
    2: 'failed to start (see standard error)',
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
