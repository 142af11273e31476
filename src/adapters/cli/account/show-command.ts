import { Command } from 'commander';
import type { ShownAccount } from '../../../domain/services/account-administration-service.ts';
import type { CredentialListing, KeyLocation } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import { covers } from '../covered-accounts.ts';
import { formatLines, toKeyLines } from './key-options.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly json?: true;
}

/** Entries of the configuration that cover the account. */
interface Rules {
  readonly policies: readonly string[];
  readonly budgets: readonly string[];
  /** Null without a permissions list: every caller may do everything. */
  readonly permissions: readonly { readonly index: number; readonly principals: readonly string[] }[] | null;
}

const MANUAL: CommandManual = {
  notes: [
    'It shows the credentials file, which a running service may not have reloaded yet, and never a key. permission check shows whether a certain caller may use the account.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'account show --platform my-exchange --account main',
    'account show --platform my-exchange --account main --json',
  ],
};

/** `account show`: shows one account of the credentials file, never its key. */
export function accountShowCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('show an account in the credentials file, without its key')
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID')
    .addOption(jsonOption())
    .action(async ({ platform, account, json }: Options) => {
      const { shown, rules } = await withInstallation(context, async (installation) => {
        const administration = await installation.accounts();
        return {
          shown: await administration.showAccount(platform, account),
          rules: findRules(await administration.list(), platform, account),
        };
      });
      const { key, overlapSeconds = 0, ...others } = shown;
      if (json) return printJson(context, { account: others, key, overlapSeconds, ...rules });
      context.print(formatLines(toLines(shown, rules), LABEL_WIDTH));
    });
  return addManual(command, MANUAL);
}

function findRules({ policies, budgets, permissions }: CredentialListing, platform: string, account: string): Rules {
  const nameCovering = (entries: readonly { readonly name: string; readonly accounts: readonly string[] }[]) =>
    entries.filter((entry) => covers(entry, platform, account)).map(({ name }) => name);
  const indexed = permissions?.map((entry, index) => ({ entry, index })) ?? null;
  return {
    policies: nameCovering(policies),
    budgets: nameCovering(budgets),
    permissions:
      indexed
        ?.filter(({ entry }) => covers(entry, platform, account))
        .map(({ entry: { principals }, index }) => ({ index, principals })) ?? null,
  };
}

/** Width of the labels, `permissions` and `public key` being long ones. */
const LABEL_WIDTH = 14;
const NONE = '-';

function toLines(account: ShownAccount, rules: Rules) {
  const { platformId, accountId, alias, status, platformStatus, environment, algorithm } = account;
  const { createdAt, values, key, overlapSeconds = 0 } = account;
  const shownStatus = platformStatus === 'disabled' ? `${status}, but its platform is disabled` : status;
  return [
    ['platform', platformId],
    ['account', accountId],
    ['alias', alias],
    ['status', shownStatus],
    ['environment', environment],
    ['algorithm', algorithm],
    ...toKeyLines(account, '(derived at load)'),
    ['key', formatLocation(key)],
    ...(overlapSeconds === 0 ? [] : [['overlap', `${overlapSeconds} seconds after its last replacement`] as const]),
    ['created', createdAt ?? '(unknown)'],
    ...Object.entries(values ?? {}).map(([name, value]) => ['value', `${name}=${value}`] as const),
    ['policies', rules.policies.join(', ') || NONE],
    ['budgets', rules.budgets.join(', ') || NONE],
    ['permissions', formatPermissions(rules)],
  ] as const;
}

function formatLocation(key: KeyLocation): string {
  if (key.kind === 'sealed') return `sealed under master key ${key.masterKeyId}`;
  if (key.kind === 'plaintext') return 'plaintext, for development only';
  const format = key.format === undefined ? '' : `, format ${key.format}`;
  return `read from ${key.file}${format}`;
}

function formatPermissions({ permissions }: Rules): string {
  if (permissions === null) return 'no permissions list: every caller may use the account';
  if (permissions.length === 0) return 'no entry covers the account';
  return permissions.map(({ index, principals }) => `permissions[${index}]: ${principals.join(', ')}`).join('; ');
}
