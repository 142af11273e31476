import { OperatorError } from '../../domain/model/errors.ts';
import { isAccountOperation, OPERATIONS, type Operation } from '../../domain/model/operations.ts';
import { type PermissionEntry, Permissions } from '../../domain/model/permissions.ts';
import { WILDCARD } from '../../domain/model/text/wildcard-pattern.ts';
import { CREDENTIALS_SETTINGS, parsePrincipal } from './command-options.ts';
import { covers, warnUnknown } from './covered-accounts.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { choice, choices, flag, integer, needed, parsed, repeatable, text, WIDE } from './inputs.ts';

/** An entry with its index in the list. */
type Indexed = PermissionEntry & { readonly index: number };

const NO_LIST = 'the credentials file has no permissions list, so every caller may perform every operation';

function withIndexes(permissions: readonly PermissionEntry[] | null): readonly Indexed[] {
  return (permissions ?? []).map((entry, index) => ({ index, ...entry }));
}

/** `permission list`. */
const list = defineCommand({
  description: 'list the permissions in the credentials file',
  inputs: {
    platform: text('--platform <id>', 'only entries that cover this platform'),
    account: text('--account <id>', 'only entries that cover this account'),
    wide: WIDE,
  },
  manual: {
    notes: [
      'The index is that of messages and of the other commands: permissions[0] is the first entry. The order does not affect decisions.',
      'Long values are truncated on a terminal, unless --wide or --json is given.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['permission list', 'permission list --platform my-exchange --account main', 'permission list --json'],
  },
  run: async ({ platform, account }, session) => {
    const { permissions } = await (await session.use('configuration')).list();
    const isFiltered = platform !== undefined || account !== undefined;
    const shown = withIndexes(permissions).filter((entry) => !isFiltered || covers(entry, platform, account));
    return { hasList: permissions !== null, permissions: shown, total: shown.length };
  },
  text: ({ hasList, permissions }, page, { wide }) => {
    if (!hasList) return page.prose(`${capitalised(NO_LIST)}.\n`);
    const rows = permissions.map(({ index, principals, operations, accounts }) => [
      String(index),
      ...[principals, operations, accounts ?? ['-']].map((names) => names.join(', ')),
    ]);
    return page.table(COLUMNS, rows, 'No permissions.\n', wide);
  },
});

const COLUMNS = [
  { heading: 'INDEX' },
  { heading: 'PRINCIPALS', truncate: 'end' },
  { heading: 'OPERATIONS', truncate: 'end' },
  { heading: 'ACCOUNTS', truncate: 'end' },
] as const;

/** `permission check`: whether the credentials file permits an operation, and by which entries. */
const check = defineCommand({
  description: 'check whether a caller may perform an operation',
  inputs: {
    principal: parsed(text('--principal <name>', 'name of the caller, from its token or certificate'), parsePrincipal),
    anonymous: flag('--anonymous', 'an unauthenticated caller'),
    operation: needed(choice('--operation <name>', 'operation to check', OPERATIONS)),
    platform: text('--platform <id>', 'platform ID, for sign, verify and read'),
    account: text('--account <id>', 'account ID, for sign, verify and read'),
  },
  manual: {
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
  },
  run: async ({ principal = null, anonymous, operation, platform = null, account = null }, session) => {
    if ((principal === null) === (anonymous === undefined)) {
      throw new OperatorError('exactly one of --principal and --anonymous is required');
    }
    if (isAccountOperation(operation) ? platform === null || account === null : platform !== null || account !== null) {
      const needs = isAccountOperation(operation)
        ? 'requires --platform and --account'
        : 'does not accept --platform or --account';
      throw new OperatorError(`--operation ${operation} ${needs}`);
    }
    const { permissions, accounts, platforms } = await (await session.use('configuration')).list();
    const isAllowed = (entries: readonly PermissionEntry[] | null) =>
      new Permissions(entries).allows(principal, operation, idsOf(operation, platform, account));
    const allowed = isAllowed(permissions);
    if (!allowed) session.endAs('refused');
    const found = accounts.find((one) => one.platformId === platform && one.accountId === account);
    const ofPlatform = platforms.find(({ platformId }) => platformId === platform);
    return {
      ...{ allowed, principal, operation, platformId: platform, accountId: account, hasList: permissions !== null },
      entries: withIndexes(permissions).flatMap((entry) => (isAllowed([entry]) ? [entry.index] : [])),
      accountExists: account === null ? null : found !== undefined,
      accountStatus: found?.status ?? null,
      platformStatus: found === undefined ? null : (ofPlatform?.status ?? 'active'),
    };
  },
  text: ({ allowed, hasList, entries, accountExists, accountStatus, platformStatus }, page) => {
    const named = entries.map((index) => `permissions[${index}]`).join(', ');
    const reason = !hasList ? NO_LIST : allowed ? `allowed by ${named}` : 'no permission entry allows it';
    return [
      page.prose(`${page.styled(allowed ? 'green' : 'red', allowed ? 'yes' : 'no')}: ${reason}\n`),
      accountExists === false ? page.prose('The account does not exist in the credentials file.\n') : '',
      platformStatus === 'disabled'
        ? page.prose('The platform is disabled, so the account signs nothing.\n')
        : accountStatus === 'disabled'
          ? page.prose('The account is disabled, so it signs nothing.\n')
          : '',
    ].join('');
  },
});

function idsOf(operation: Operation, platform: string | null, account: string | null) {
  return isAccountOperation(operation) ? { platformId: platform ?? '', accountId: account ?? '' } : undefined;
}

/** `permission add`: adds an entry to the list, and the list if there is none. */
const add = defineCommand({
  description: 'add a permission entry',
  inputs: {
    principal: needed(
      repeatable('--principal <name>', 'caller, from its token or certificate; * matches any characters; anonymous'),
    ),
    operation: needed(choices('--operation <name...>', 'operations; * for all', [...OPERATIONS, WILDCARD])),
    account: repeatable(
      '--account <pattern>',
      'platform/account, for sign, verify, read and *; * matches any characters in either',
    ),
  },
  manual: {
    notes: [
      'The first entry begins a permissions list: from then on, callers may do only what an entry allows, including status and reload.',
      'Quote patterns with *, which the shell would expand.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      "permission add --principal bot-7 --operation sign verify --account 'okx/*'",
      "permission add --principal 'ops-*' --operation status reload",
      "permission add --principal anonymous --operation '*' --account '*/*'",
    ],
  },
  run: async ({ principal, operation, account }, session) => {
    const configuration = await session.use('configuration');
    const { permissions: before } = await configuration.list();
    const entry = { principals: principal, ...(account && { accounts: account }), operations: operation };
    const after = await configuration.addPermission(entry);
    return {
      permission: { index: (after.permissions?.length ?? 1) - 1, ...entry },
      cautions: [...(before === null ? [FIRST_ENTRY] : []), ...warnUnknown(account ?? [], after)],
    };
  },
  text: ({ permission: { index, principals, operations, accounts } }, page) =>
    page.prose(
      `permissions[${index}] added: ${principals.join(', ')} may ${operations.join(', ')}${accounts === undefined ? '' : ` on ${accounts.join(', ')}`}.\n`,
    ),
  reload: () => true,
});

const FIRST_ENTRY =
  'without a list every caller could do everything; now callers may do only what an entry allows, also status and reload';

/** `permission remove`: removes one entry, or the list. */
const remove = defineCommand({
  description: 'remove a permission entry, or the whole list',
  inputs: {
    index: integer('--index <number>', 'index of the entry, as permission list shows it', 0, 4095),
    list: flag('--list', 'remove the list: every caller may then do everything'),
  },
  manual: {
    notes: ['An empty list allows nothing. Removing an entry changes the index of those behind it.'],
    settings: CREDENTIALS_SETTINGS,
    examples: ['permission remove --index 2', 'permission remove --list'],
  },
  run: async ({ index, list: isList }, session) => {
    if ((index === undefined) === (isList === undefined)) {
      throw new OperatorError('exactly one of --index and --list is required');
    }
    const configuration = await session.use('configuration');
    const before = withIndexes((await configuration.list()).permissions);
    const { permissions } = await configuration.removePermission(index ?? null);
    return {
      removed: isList ? before : before.filter((entry) => entry.index === index),
      hasList: permissions !== null,
      total: permissions?.length ?? 0,
      cautions:
        permissions === null
          ? [NO_LIST]
          : permissions.length > 0
            ? []
            : ['the list is empty, so no caller may do anything'],
    };
  },
  text: ({ removed }, page) =>
    removed
      .map(({ index, principals, operations }) =>
        page.prose(`permissions[${index}] removed: ${principals.join(', ')}, ${operations.join(', ')}.\n`),
      )
      .join(''),
  reload: () => true,
});

/** Permissions of callers. */
export const PERMISSION_GROUP: CommandGroup = {
  description: 'manage and check permissions',
  examples: [
    "permission add --principal bot-7 --operation sign --account 'okx/*'",
    'permission check --anonymous --operation status',
  ],
  commands: { list, add, remove, check },
};

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
