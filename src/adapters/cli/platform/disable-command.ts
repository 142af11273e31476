import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { platformStatusCommand } from './platform-status.ts';

/** `platform disable`: stops all accounts of a platform from signing. */
export function platformDisableCommand(context: CliContext): Command {
  return platformStatusCommand(context, 'disabled', {
    name: 'disable',
    description: 'disable a platform, so that its accounts sign nothing',
    notes: [
      'The accounts keep their status and keys. An account of another platform with the same key can still sign; account disable --same-key also disables it.',
      'A batch in progress stops after its current slice, once the service has reloaded.',
    ],
  });
}
