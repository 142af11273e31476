import { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { example } from './command-parts.ts';

/** `serve`: runs the service. */
export function serveCommand(context: CliContext): Command {
  return new Command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .addHelpText('after', example('serve'))
    .action(() => context.serve(context.environment));
}
