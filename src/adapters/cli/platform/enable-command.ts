import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { platformStatusCommand } from './platform-status.ts';

/** `platform enable`: lets the accounts of a platform sign again. */
export function platformEnableCommand(context: CliContext): Command {
  return platformStatusCommand(context, 'active', {
    name: 'enable',
    description: 'let the accounts of a platform sign again',
    notes: ['Accounts that are themselves disabled stay disabled.'],
  });
}
