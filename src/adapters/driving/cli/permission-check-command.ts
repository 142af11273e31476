import { Command, InvalidArgumentError, Option } from 'commander';
import {
  isAccountOperation,
  OPERATIONS,
  type Operation,
  type PermissionEntry,
} from '../../../domain/model/permission-entry.ts';
import { Permissions } from '../../../domain/model/permissions.ts';
import { isPrincipal } from '../../../domain/model/principal.ts';
import type { CredentialListing } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { jsonOption, printJson, printProse } from './command-parts.ts';
import { styled } from './look.ts';
import { CREDENTIALS_SETTINGS } from './named-settings.ts';

interface Options {
  readonly principal?: string;
  readonly anonymous?: true;
  readonly operation: Operation;
  readonly platform?: string;
  readonly account?: string;
  readonly json?: true;
}

/** What is asked: may this caller do this, where it is about an account on that one? */
interface Question {
  /** Null for a caller who did not prove who it is. */
  readonly principal: string | null;
  readonly operation: Operation;
  readonly platformId: string | null;
  readonly accountId: string | null;
}

const MANUAL: CommandManual = {
  notes: [
    'It asks the credentials file as it is now. A running service may not have taken that up yet: POST /api/v1/config/reload or SIGHUP.',
  ],
  settings: CREDENTIALS_SETTINGS,
  exitCodes: {
    0: 'it is allowed',
    2: 'it is not allowed; or options or files are wrong, and then standard error says which',
  },
  examples: [
    'permission check --principal bot-7 --operation sign --platform my-exchange --account main',
    'permission check --anonymous --operation status --json',
  ],
};

/** `permission check`: whether the credentials file lets a caller do something, and which entries say so. */
export function permissionCheckCommand(context: CliContext): Command {
  const command = new Command('check')
    .description('say whether the credentials file lets a caller do something')
    .option('--principal <name>', 'the caller, as its token or certificate names it', parsePrincipal)
    .option('--anonymous', 'a caller who did not prove who it is')
    .addOption(
      new Option('--operation <name>', 'what the caller wants to do').choices(OPERATIONS).makeOptionMandatory(),
    )
    .option('--platform <id>', 'the platform of the account, for sign, verify and read')
    .option('--account <id>', 'the account, for sign, verify and read')
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const question = questionOf(options, command);
      const { permissions, accounts } = await withInstallation(context, ({ administration }) => administration.list());
      const allowed = isAllowed(permissions, question);
      const entries = (permissions ?? []).flatMap((entry, index) => (isAllowed([entry], question) ? [index] : []));
      const accountExists = question.accountId === null ? null : isThere(accounts, question);
      if (!allowed) context.endAsRefused();
      if (options.json)
        return printJson(context, { allowed, ...question, hasList: permissions !== null, entries, accountExists });
      const answer = allowed ? styled(context.output, 'green', 'yes') : styled(context.output, 'red', 'no');
      await printProse(context, `${answer}: ${reasonOf(permissions, entries)}\n`);
      if (accountExists === false) await printProse(context, 'The credentials file has no such account.\n');
    });
  return withManual(command, MANUAL);
}

function questionOf({ anonymous, operation, ...options }: Options, command: Command): Question {
  const [principal, platform, account] = [options.principal ?? null, options.platform ?? null, options.account ?? null];
  if ((principal === null) === (anonymous === undefined)) {
    command.error('error: say who calls, by --principal or by --anonymous');
  }
  const isAboutAccount = isAccountOperation(operation);
  if (isAboutAccount && (platform === null || account === null)) {
    command.error(`error: ${operation} is about an account: name it by --platform and --account`);
  }
  if (!isAboutAccount && (platform !== null || account !== null)) {
    command.error(`error: ${operation} is about no account: leave --platform and --account out`);
  }
  return { principal, operation, platformId: platform, accountId: account };
}

function isAllowed(entries: readonly PermissionEntry[] | null, question: Question): boolean {
  const permissions = new Permissions(entries);
  const { principal, operation, platformId, accountId } = question;
  if (!isAccountOperation(operation)) return permissions.allows(principal, operation);
  return permissions.allowsOn(principal, operation, platformId ?? '', accountId ?? '');
}

function isThere(accounts: CredentialListing['accounts'], { platformId, accountId }: Question): boolean {
  return accounts.some((account) => account.platformId === platformId && account.accountId === accountId);
}

function reasonOf(permissions: CredentialListing['permissions'], entries: readonly number[]): string {
  if (permissions === null) return 'the credentials file has no permissions list, so that everybody may do everything';
  if (entries.length === 0) return 'no entry of the permissions list allows it';
  return `allowed by ${entries.map((index) => `permissions[${index}]`).join(', ')}`;
}

function parsePrincipal(text: string): string {
  if (isPrincipal(text)) return text;
  throw new InvalidArgumentError(
    'A caller has 1 to 256 letters, digits, blanks or . _ : @ / = + , - with a letter or digit first, and is not called anonymous (see --anonymous).',
  );
}
