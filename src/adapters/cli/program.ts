import { Command, Option } from 'commander';
import { accountAddCommand } from './account/add-command.ts';
import { accountDisableCommand } from './account/disable-command.ts';
import { accountEditCommand } from './account/edit-command.ts';
import { accountEnableCommand } from './account/enable-command.ts';
import { accountImportCommand } from './account/import-command.ts';
import { accountListCommand } from './account/list-command.ts';
import { accountRemoveCommand } from './account/remove-command.ts';
import { accountReplaceKeyCommand } from './account/replace-key-command.ts';
import { accountShowCommand } from './account/show-command.ts';
import { auditTailCommand } from './audit/tail-command.ts';
import { auditVerifyCommand } from './audit/verify-command.ts';
import type { CliContext } from './cli-context.ts';
import { addManual, PROGRAM_NAME } from './command-manual.ts';
import { completionCommand } from './completion/completion-command.ts';
import { demoCommand } from './demo-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { initCommand } from './init-command.ts';
import { masterKeyRetireCommand } from './master-key/retire-command.ts';
import { masterKeyRotateCommand } from './master-key/rotate-command.ts';
import { masterKeyStatusCommand } from './master-key/status-command.ts';
import { permissionCheckCommand } from './permission/check-command.ts';
import { permissionListCommand } from './permission/list-command.ts';
import { platformAddCommand } from './platform/add-command.ts';
import { platformDisableCommand } from './platform/disable-command.ts';
import { platformEnableCommand } from './platform/enable-command.ts';
import { platformListCommand } from './platform/list-command.ts';
import { platformPresetsCommand } from './platform/presets-command.ts';
import { platformRemoveCommand } from './platform/remove-command.ts';
import { platformShowCommand } from './platform/show-command.ts';
import { policyAddCommand } from './policy/add-command.ts';
import { policyCheckCommand } from './policy/check-command.ts';
import { policyListCommand } from './policy/list-command.ts';
import { serveCommand } from './serve-command.ts';
import { statusCommand } from './status/status-command.ts';
import { setUpHelp } from './terminal/help-style.ts';
import { tokenAuthorityCommand } from './token/authority-command.ts';
import { tokenInspectCommand } from './token/inspect-command.ts';
import { tokenIssueCommand } from './token/issue-command.ts';

/**
 * The whole command line. It throws errors, including commander's; `cli.ts` turns them into
 * messages and exit codes.
 */
export function createProgram(context: CliContext, version: string): Command {
  const program = new Command(PROGRAM_NAME)
    .description('The signing service and its administration commands.')
    .version(version, '-V, --version', 'print the version')
    .addOption(new Option('--color', 'force colors (default: on a terminal only)'))
    .addOption(new Option('--no-color', 'disable colors, like NO_COLOR'));
  addManual(program, {
    notes: [
      'Settings are the environment variables SIGNING_* of the service, listed in docs/operators/configure.md. Every setting is validated, even if the command does not use it.',
      'A command terminated by a signal exits with 128 plus its number: 130 after Ctrl-C. serve, demo, audit tail and status --watch exit with 0 instead.',
    ],
    examples: ['init', 'platform add --preset kraken', 'account --help', 'doctor'],
  });
  const commands = [
    serveCommand(context),
    demoCommand(context),
    initCommand(context),
    statusCommand(context),
    platformGroup(context),
    accountGroup(context),
    permissionGroup(context),
    policyGroup(context),
    masterKeyGroup(context),
    auditGroup(context),
    tokenGroup(context),
    doctorCommand(context),
    completionCommand(context),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of listCommands(program)) setUpHelp(command, context);
  return program;
}

/** A command and its descendants. */
export function listCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(listCommands)];
}

function platformGroup(context: CliContext): Command {
  const group = new Command('platform').description('manage platforms');
  group.addCommand(platformAddCommand(context)).addCommand(platformPresetsCommand(context));
  group.addCommand(platformListCommand(context)).addCommand(platformShowCommand(context));
  group.addCommand(platformDisableCommand(context)).addCommand(platformEnableCommand(context));
  group.addCommand(platformRemoveCommand(context));
  return addManual(group, { examples: ['platform presets', 'platform add --preset kraken'] });
}

function accountGroup(context: CliContext): Command {
  const group = new Command('account').description('manage accounts');
  group.addCommand(accountAddCommand(context)).addCommand(accountImportCommand(context));
  group.addCommand(accountListCommand(context)).addCommand(accountShowCommand(context));
  group.addCommand(accountEditCommand(context));
  group.addCommand(accountDisableCommand(context));
  group.addCommand(accountEnableCommand(context));
  group.addCommand(accountReplaceKeyCommand(context));
  group.addCommand(accountRemoveCommand(context));
  return addManual(group, {
    examples: [
      'account add --platform my-exchange --account main --algorithm ed25519',
      'account import accounts.csv --dry-run',
      'account list',
    ],
  });
}

function permissionGroup(context: CliContext): Command {
  const group = new Command('permission').description('list and check permissions');
  group.addCommand(permissionListCommand(context)).addCommand(permissionCheckCommand(context));
  return addManual(group, { examples: ['permission check --anonymous --operation status'] });
}

function policyGroup(context: CliContext): Command {
  const group = new Command('policy').description('manage and test policies');
  group
    .addCommand(policyAddCommand(context))
    .addCommand(policyListCommand(context))
    .addCommand(policyCheckCommand(context));
  return addManual(group, {
    examples: [
      'policy add --platform okx --policy trade-only',
      'policy list',
      'policy check --platform my-exchange --account main --data order.json',
    ],
  });
}

function masterKeyGroup(context: CliContext): Command {
  const group = new Command('master-key').description('show and rotate the master key');
  group.addCommand(masterKeyStatusCommand(context)).addCommand(masterKeyRotateCommand(context));
  group.addCommand(masterKeyRetireCommand(context));
  return addManual(group, { examples: ['master-key status', 'master-key rotate'] });
}

function auditGroup(context: CliContext): Command {
  const group = new Command('audit').description('follow and verify the audit log');
  group.addCommand(auditTailCommand(context)).addCommand(auditVerifyCommand(context));
  return addManual(group, { examples: ['audit tail --since 2h', 'audit verify'] });
}

function tokenGroup(context: CliContext): Command {
  const group = new Command('token').description('issue and inspect access tokens');
  group.addCommand(tokenAuthorityCommand(context)).addCommand(tokenIssueCommand(context));
  group.addCommand(tokenInspectCommand(context));
  return addManual(group, { examples: ['token authority --authority-key-file authority.key', 'token issue --help'] });
}
