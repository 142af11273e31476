import { Command } from 'commander';
import type { AccountStatus } from '../../../domain/model/account.ts';
import type { CliContext } from '../cli-context.ts';
import { type Style, styled } from '../terminal/style.ts';

/** Colour of an account's status. */
export function statusStyle(status: AccountStatus): Style {
  return status === 'active' ? 'green' : 'yellow';
}

/** A command that changes the status of one account. */
export function accountStatusCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID');
}

/** The status, coloured. */
export function formatStatus({ output }: CliContext, status: AccountStatus): string {
  return styled(output, statusStyle(status), status);
}
