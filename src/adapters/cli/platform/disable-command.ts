import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { platformStatusCommand } from './platform-status.ts';

/** `platform disable`: stops all accounts of a platform from signing. */
export function platformDisableCommand(context: CliContext): Command {
  return platformStatusCommand(context, 'disabled', {
    name: 'disable',
    description: 'refuse signatures for all accounts of a platform',
    notes: [
      'The accounts keep their own status and their keys, and sign again after platform enable. An account of another platform that holds the same key still signs; account disable --same-key stops it, too.',
      'A running batch stops at its next slice once the service has reloaded.',
    ],
  });
}
