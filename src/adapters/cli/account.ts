import { type AccountIds, toAccountName } from '../../domain/model/account.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { listSome } from '../../domain/model/text/wording.ts';
import { findAccount } from '../../domain/services/account-administration-service.ts';
import type { KeyLocation, ListedAccount } from '../../ports/credential-editor.ts';
import { MAX_KEY_LENGTH, nameWithAlgorithm, tableOfAccounts, toKeyFacts } from './account/facts.ts';
import { importAccounts } from './account/import.ts';
import { add, replaceKey, VALUE } from './account/keys.ts';
import { CREDENTIALS_SETTINGS } from './command-options.ts';
import { covers } from './covered-accounts.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { ACCOUNT, flag, repeatable, text, WIDE } from './inputs.ts';

/** `account list`: shows the accounts of the credentials file, never a key. */
const list = defineCommand({
  description: 'list the accounts in the credentials file',
  inputs: { platform: text('--platform <id>', 'only accounts of this platform'), wide: WIDE },
  manual: {
    notes: [
      `Public keys of more than ${MAX_KEY_LENGTH} characters are truncated. On a terminal, other long values are as well, and a narrow one leaves the key ID out. --wide and --json show everything.`,
      'An active account of a disabled platform has the status "platform disabled"; --json shows status and platformStatus.',
      'Accounts of Ethereum algorithms show their address; --json also has their public key.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['account list', 'account list --wide', 'account list --platform my-exchange --json'],
  },
  run: async ({ platform }, session) => {
    const { accounts } = await (await session.use('accounts')).list();
    const shown = accounts.filter(({ platformId }) => platform === undefined || platformId === platform);
    return { accounts: shown, total: shown.length };
  },
  text: ({ accounts }, page, { wide }) => tableOfAccounts(accounts, page, '(derived at load)', wide),
});

const NONE = '-';

/** `account show`: shows one account of the credentials file, never its key. */
const show = defineCommand({
  description: 'show an account in the credentials file, without its key',
  inputs: ACCOUNT,
  manual: {
    notes: [
      'It shows the credentials file, which a running service may not have reloaded yet, and never a key. permission check shows whether a certain caller may use the account.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'account show --platform my-exchange --account main',
      'account show --platform my-exchange --account main --json',
    ],
  },
  run: async (ids, session) => {
    const { accounts, policies, budgets, permissions } = await (await session.use('accounts')).list();
    const { key, overlapSeconds = 0, ...account } = findAccount(accounts, ids);
    const isCovering = (entry: Parameters<typeof covers>[0]) => covers(entry, ids.platformId, ids.accountId);
    const indexed = permissions?.map((entry, index) => ({ ...entry, index })) ?? null;
    return {
      ...{ account, key, overlapSeconds },
      policies: policies.filter(isCovering).map(({ name }) => name),
      budgets: budgets.filter(isCovering).map(({ name }) => name),
      /** Null without a permissions list: every caller may do everything. */
      permissions: indexed?.filter(isCovering).map(({ index, principals }) => ({ index, principals })) ?? null,
    };
  },
  text: ({ account, key, overlapSeconds, policies, budgets, permissions }, page) => {
    const { status, platformStatus, createdAt, values } = account;
    return page.facts([
      ['platform', account.platformId],
      ['account', account.accountId],
      ['alias', account.alias],
      ['status', platformStatus === 'disabled' ? `${status}, but its platform is disabled` : status],
      ['environment', account.environment],
      ['algorithm', account.algorithm],
      ...toKeyFacts(account, '(derived at load)'),
      ['key', formatLocation(key)],
      ...(overlapSeconds === 0 ? [] : [['overlap', `${overlapSeconds} seconds after its last replacement`] as const]),
      ['created', createdAt ?? '(unknown)'],
      ...Object.entries(values ?? {}).map(([name, value]) => ['value', `${name}=${value}`] as const),
      ['policies', policies.join(', ') || NONE],
      ['budgets', budgets.join(', ') || NONE],
      [
        'permissions',
        permissions === null
          ? 'no permissions list: every caller may use the account'
          : permissions.map(({ index, principals }) => `permissions[${index}]: ${principals.join(', ')}`).join('; ') ||
            'no entry covers the account',
      ],
    ]);
  },
});

function formatLocation(key: KeyLocation): string {
  if (key.kind === 'sealed') return `sealed under master key ${key.masterKeyId}`;
  if (key.kind === 'plaintext') return 'plaintext, for development only';
  return `read from ${key.file}${key.format === undefined ? '' : `, format ${key.format}`}`;
}

/** `account edit`: changes label, environment and fixed values of an account. */
const edit = defineCommand({
  description: 'change the label, environment or values of an account',
  inputs: {
    ...ACCOUNT,
    alias: text('--alias <text>', 'new label'),
    environment: text('--environment <name>', 'new environment, such as production or testnet'),
    values: VALUE,
    removeValue: repeatable('--remove-value <name>', 'remove this value'),
  },
  manual: {
    notes: [
      'What is not named stays. The key is changed by account replace-key, the status by account disable and account enable; IDs and algorithm cannot be changed.',
      'The value of a passphrase that account add made from --passphrase-file is changed by account replace-key, also with the same key.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'account edit --platform my-exchange --account main --alias "Main book"',
      'account edit --platform bybit --account main --value recvWindow=10000',
      'account edit --platform bybit --account main --remove-value recvWindow',
    ],
  },
  run: async ({ platformId, accountId, ...change }, session) => {
    if (Object.values(change).every((given) => given === undefined)) {
      throw new OperatorError('set at least one of --alias, --environment, --value and --remove-value.');
    }
    const administration = await session.use('accounts');
    const { before, account: after } = await administration.editAccount({ platformId, accountId }, change);
    const names = new Set([...Object.keys(before.values ?? {}), ...Object.keys(after.values ?? {})]);
    const changes = [
      ['alias', before.alias, after.alias],
      ['environment', before.environment, after.environment],
      ...[...names].map((name) => [`value ${name}`, before.values?.[name], after.values?.[name]] as const),
    ] as const;
    return { account: after, changes: changes.filter(([, old, current]) => old !== current) };
  },
  document: ({ account }) => ({ account }),
  text: ({ changes }, page, { platformId, accountId }) =>
    page.prose(
      changes.length === 0
        ? `Account ${accountId} of ${platformId} has these values already; nothing was changed.\n`
        : `Account ${accountId} of ${platformId} changed.\n`,
    ) + changes.map(([name, old = 'none', current = 'none']) => `${name}: ${old} → ${current}\n`).join(''),
  reload: ({ changes }) => changes.length > 0,
});

/**
 * `account disable`: stops an account, or with `--same-key` all accounts with its key, from
 * signing.
 */
const disable = defineCommand({
  description: 'disable an account, so that it signs nothing; its key is kept',
  inputs: {
    ...ACCOUNT,
    sameKey: flag('--same-key', 'also disable every account with the same key, on any platform, in one change'),
  },
  manual: {
    notes: [
      'It lists the other accounts with the same key, found by publicKey (for HMAC, the ID of the secret) or by key file. It also lists accounts that it cannot compare: those without a publicKey and, with --same-key, those of another HMAC algorithm, which gives the same secret a different ID.',
      'A batch in progress stops after its current slice, once the service has reloaded.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'account disable --platform my-exchange --account main',
      'account disable --platform my-exchange --account main --same-key',
    ],
  },
  run: async ({ sameKey: withOthers, ...ids }, session) => {
    const administration = await session.use('accounts');
    const found = await administration.setStatus(ids, 'disabled', withOthers ? 'same-key' : 'account');
    const active = found.sameKey.filter(({ status }) => status === 'active');
    const used = `its key is also used by ${formatNames(active)}, still active`;
    return {
      account: { ...ids, status: 'disabled' },
      sameKey: found.sameKey.map(({ platformId, accountId, algorithm, status }) => {
        return { platformId, accountId, algorithm, status };
      }),
      cautions: [
        ...(active.length > 0 ? [`${used}; if the key has leaked, disable all of them with --same-key`] : []),
        ...warnNotCompared(found.uncompared, 'the credentials file has no publicKey for them or for this account'),
        ...warnNotCompared(withOthers ? found.otherHmac : [], OTHER_HMAC),
      ],
    };
  },
  text: ({ sameKey }, page, { platformId, accountId, sameKey: withOthers }) => {
    const others = withOthers && sameKey.length > 0 ? ` Also disabled (same key): ${formatNames(sameKey)}.` : '';
    return page.prose(`Account ${accountId} of ${platformId} is ${page.styled('yellow', 'disabled')}.${others}\n`);
  },
  reload: () => true,
});

const OTHER_HMAC = 'another HMAC algorithm gives the same secret a different ID';

function warnNotCompared(accounts: readonly AccountIds[], why: string): readonly string[] {
  if (accounts.length === 0) return [];
  const names = listSome(accounts, toAccountName);
  return [`${names} could not be compared because ${why}; check whether they use the same key`];
}

function formatNames(accounts: readonly Pick<ListedAccount, 'platformId' | 'accountId' | 'algorithm'>[]): string {
  return accounts.map(nameWithAlgorithm).join(', ');
}

/** `account enable`: lets an account sign again. */
const enable = defineCommand({
  description: 'enable a disabled account',
  inputs: ACCOUNT,
  manual: {
    settings: CREDENTIALS_SETTINGS,
    examples: ['account enable --platform my-exchange --account main'],
  },
  run: async (ids, session) => {
    const administration = await session.use('accounts');
    await administration.setStatus(ids, 'active');
    const { platformStatus } = findAccount((await administration.list()).accounts, ids);
    const command = `signing-service platform enable --platform ${ids.platformId}`;
    const caution = `its platform is disabled, so it signs nothing; to enable it, run ${command}`;
    return { account: { ...ids, status: 'active' }, cautions: platformStatus === 'disabled' ? [caution] : [] };
  },
  text: (_, page, { platformId, accountId }) =>
    page.prose(`Account ${accountId} of ${platformId} is ${page.styled('green', 'active')}.\n`),
  reload: () => true,
});

/** `account remove`: permanently removes a disabled account and its key. */
const remove = defineCommand({
  description: 'permanently remove a disabled account and its key',
  inputs: ACCOUNT,
  manual: {
    notes: [
      'Only a disabled account can be removed. Its key is removed with it: without another copy of the key, access to everything that it controls is lost. Earlier backups of the credentials file still contain it.',
      'Permission entries that name the account remain. A running service rejects a reload that removes more accounts than SIGNING_RELOAD_MAX_REMOVED allows.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'account disable --platform my-exchange --account main',
      'account remove --platform my-exchange --account main',
    ],
  },
  run: async (account, session) => {
    await (await session.use('accounts')).removeAccount(account);
    return { account, removed: true };
  },
  text: (_, page, { platformId, accountId }) =>
    page.prose(`Account ${accountId} of ${platformId} removed, together with its key.\n`),
  reload: () => true,
});

/** Accounts and their keys. */
export const ACCOUNT_GROUP: CommandGroup = {
  description: 'manage accounts',
  examples: [
    'account add --platform my-exchange --account main --algorithm ed25519',
    'account import accounts.csv --dry-run',
    'account list',
  ],
  commands: { add, import: importAccounts, list, show, edit, disable, enable, 'replace-key': replaceKey, remove },
};
