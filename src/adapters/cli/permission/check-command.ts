import { Command, Option } from 'commander';
import { isAccountOperation, OPERATIONS, type Operation } from '../../../domain/model/operations.ts';
import { type PermissionEntry, Permissions } from '../../../domain/model/permissions.ts';
import type { AccountListing } from '../../../domain/services/account-administration-service.ts';
import type { CredentialListing } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, parsePrincipal, printJson, printProse } from '../command-options.ts';
import { styled } from '../terminal/style.ts';

type ListedAccount = AccountListing['accounts'][number];

interface Options {
  readonly principal?: string;
  readonly anonymous?: true;
  readonly operation: Operation;
  readonly platform?: string;
  readonly account?: string;
  readonly json?: true;
}

/** May this caller perform this operation, on this account if the operation has one? */
interface Query {
  /** Null for anonymous callers. */
  readonly principal: string | null;
  readonly operation: Operation;
  readonly platformId: string | null;
  readonly accountId: string | null;
}

const MANUAL: CommandManual = {
  notes: ['It evaluates the credentials file, which a running service may not have reloaded yet.'],
  settings: CREDENTIALS_SETTINGS,
  exitCodes: {
    0: 'allowed',
    2: 'not allowed, or an option or file is invalid (see standard error)',
  },
  examples: [
    'permission check --principal bot-7 --operation sign --platform my-exchange --account main',
    'permission check --anonymous --operation status --json',
  ],
};

/**
 * `permission check`: shows whether the credentials file permits an operation, and by which
 * entries.
 */
export function permissionCheckCommand(context: CliContext): Command {
  const command = new Command('check')
    .description('check whether a caller may perform an operation')
    .option('--principal <name>', 'name of the caller, from its token or certificate', parsePrincipal)
    .option('--anonymous', 'an unauthenticated caller')
    .addOption(new Option('--operation <name>', 'operation to check').choices(OPERATIONS).makeOptionMandatory())
    .option('--platform <id>', 'platform ID, for sign, verify and read')
    .option('--account <id>', 'account ID, for sign, verify and read')
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const query = toQuery(options, command);
      const { permissions, accounts } = await withInstallation(context, async ({ administration }) =>
        (await administration()).list(),
      );
      const account = findAccount(accounts, query);
      const allowed = isAllowed(permissions, query);
      const entries = (permissions ?? []).flatMap((entry, index) => (isAllowed([entry], query) ? [index] : []));
      const accountExists = query.accountId === null ? null : account !== undefined;
      if (!allowed) context.endAsRefused();
      if (options.json)
        return printJson(context, {
          ...{ allowed, ...query, hasList: permissions !== null, entries, accountExists },
          accountStatus: account?.status ?? null,
          platformStatus: account === undefined ? null : (account.platformStatus ?? 'active'),
        });
      const outcome = allowed ? styled(context.output, 'green', 'yes') : styled(context.output, 'red', 'no');
      await printProse(context, `${outcome}: ${formatReason(permissions, entries)}\n`);
      if (accountExists === false) await printProse(context, 'The account does not exist in the credentials file.\n');
      await printProse(context, formatInactive(account));
    });
  return addManual(command, MANUAL);
}

function toQuery({ anonymous, operation, ...options }: Options, command: Command): Query {
  const [principal, platform, account] = [options.principal ?? null, options.platform ?? null, options.account ?? null];
  if ((principal === null) === (anonymous === undefined)) {
    command.error('error: exactly one of --principal and --anonymous is required');
  }
  const isAboutAccount = isAccountOperation(operation);
  if (isAboutAccount && (platform === null || account === null)) {
    command.error(`error: --operation ${operation} requires --platform and --account`);
  }
  if (!isAboutAccount && (platform !== null || account !== null)) {
    command.error(`error: --operation ${operation} does not accept --platform or --account`);
  }
  return { principal, operation, platformId: platform, accountId: account };
}

function isAllowed(entries: readonly PermissionEntry[] | null, query: Query): boolean {
  const permissions = new Permissions(entries);
  const { principal, operation, platformId, accountId } = query;
  const account = { platformId: platformId ?? '', accountId: accountId ?? '' };
  return permissions.allows(principal, operation, isAccountOperation(operation) ? account : undefined);
}

function findAccount(accounts: AccountListing['accounts'], query: Query): ListedAccount | undefined {
  const { platformId, accountId } = query;
  return accounts.find((account) => account.platformId === platformId && account.accountId === accountId);
}

/** A disabled account signs nothing, whatever the permissions. */
function formatInactive(account: ListedAccount | undefined): string {
  if (account?.platformStatus === 'disabled') return 'The platform is disabled, so the account signs nothing.\n';
  return account?.status === 'disabled' ? 'The account is disabled, so it signs nothing.\n' : '';
}

function formatReason(permissions: CredentialListing['permissions'], entries: readonly number[]): string {
  if (permissions === null)
    return 'the credentials file has no permissions list, so every caller may perform every operation';
  if (entries.length === 0) return 'no permission entry allows it';
  return `allowed by ${entries.map((index) => `permissions[${index}]`).join(', ')}`;
}
