import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { platformStatusCommand } from './platform-status.ts';

/** `platform enable`: lets the accounts of a platform sign again. */
export function platformEnableCommand(context: CliContext): Command {
  return platformStatusCommand(context, 'active', {
    name: 'enable',
    description: 'enable a disabled platform',
    notes: ['Accounts that were disabled individually stay disabled.'],
  });
}
