import { Command } from 'commander';
import { accountAddCommand } from './account-add-command.ts';
import { accountListCommand } from './account-list-command.ts';
import { accountStatusCommand } from './account-status-command.ts';
import { auditTailCommand } from './audit-tail-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';
import type { CliContext } from './cli-context.ts';
import { demoCommand } from './demo-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { initCommand } from './init-command.ts';
import { masterKeyRetireCommand } from './master-key-retire-command.ts';
import { masterKeyRotateCommand } from './master-key-rotate-command.ts';
import { masterKeyStatusCommand } from './master-key-status-command.ts';
import { permissionCheckCommand } from './permission-check-command.ts';
import { platformAddCommand } from './platform-add-command.ts';
import { platformPresetsCommand } from './platform-presets-command.ts';
import { serveCommand } from './serve-command.ts';
import { tokenAuthorityCommand } from './token-authority-command.ts';
import { tokenInspectCommand } from './token-inspect-command.ts';
import { tokenIssueCommand } from './token-issue-command.ts';

const EXIT_CODES = `
Exit codes: 0 done; 1 an error nobody expected; 2 refused: wrong options, settings or files (standard error says which).
Settings are the environment variables SIGNING_*, the same as the service's; the README lists them.`;

/** The whole command line. Errors are thrown, commander's own included; `cli.ts` turns them into messages and exit codes. */
export function createProgram(context: CliContext, version: string): Command {
  const platform = new Command('platform').description('platforms of the credentials file');
  platform.addCommand(platformAddCommand(context));
  platform.addCommand(platformPresetsCommand(context));

  const account = new Command('account').description('accounts of the credentials file');
  account.addCommand(accountAddCommand(context));
  account.addCommand(accountListCommand(context));
  account.addCommand(accountStatusCommand(context, 'disable', 'disabled'));
  account.addCommand(accountStatusCommand(context, 'enable', 'active'));

  const permission = new Command('permission').description('who may do what, as the credentials file says it');
  permission.addCommand(permissionCheckCommand(context));

  const masterKey = new Command('master-key').description('the key under which the keys of accounts are sealed');
  masterKey.addCommand(masterKeyStatusCommand(context));
  masterKey.addCommand(masterKeyRotateCommand(context));
  masterKey.addCommand(masterKeyRetireCommand(context));

  const audit = new Command('audit').description('the record of what was signed');
  audit.addCommand(auditTailCommand(context));
  audit.addCommand(auditVerifyCommand(context));

  const token = new Command('token').description('access tokens, by which callers and the service know each other');
  token.addCommand(tokenAuthorityCommand(context));
  token.addCommand(tokenIssueCommand(context));
  token.addCommand(tokenInspectCommand(context));

  const program = new Command('signing-service')
    .description('Holds keys and signs: the service and the commands that configure it.')
    .version(version)
    .addHelpText('after', EXIT_CODES);
  for (const command of [serveCommand(context), demoCommand(context), initCommand(context), platform, account]) {
    program.addCommand(command);
  }
  program.addCommand(permission).addCommand(masterKey).addCommand(audit).addCommand(token);
  program.addCommand(doctorCommand(context));
  for (const command of everyCommand(program)) command.exitOverride().showHelpAfterError('(--help shows an example)');
  return program;
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
