import { Command } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import { type Platform, toSigningRule } from '../../../domain/model/platform.ts';
import { listSome } from '../../../domain/model/text/wording.ts';
import type { AccountListing } from '../../../domain/services/account-administration-service.ts';
import { formatLines } from '../account/key-options.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import { covers } from '../covered-accounts.ts';
import { findTokenForm, formatTarget } from './signing-text.ts';

/** A platform, its accounts, and the entries that cover one of them. */
interface ShownPlatform {
  readonly platform: Platform;
  /** IDs in configured order. */
  readonly accounts: readonly string[];
  readonly policies: readonly string[];
  readonly budgets: readonly string[];
}

const MANUAL: CommandManual = {
  notes: ['It shows the credentials file, which a running service may not have reloaded yet.'],
  settings: CREDENTIALS_SETTINGS,
  examples: ['platform show --platform kraken', 'platform show --platform kraken --json'],
};

/** `platform show`: shows one platform of the credentials file. */
export function platformShowCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('show a platform in the credentials file')
    .requiredOption('--platform <id>', 'platform ID')
    .addOption(jsonOption())
    .action(async ({ platform, json }: { readonly platform: string; readonly json?: true }) => {
      const listing = await withInstallation(context, async ({ accounts }) => (await accounts()).list());
      const shown = findShown(listing, platform);
      if (json) return printJson(context, shown);
      context.print(formatLines(toLines(shown), LABEL_WIDTH));
    });
  return addManual(command, MANUAL);
}

/** @throws OperatorError if there is no such platform */
function findShown({ platforms, accounts, policies, budgets }: AccountListing, platformId: string): ShownPlatform {
  const platform = platforms.find((one) => one.platformId === platformId);
  if (platform === undefined) {
    throw new OperatorError(
      `No such platform: ${JSON.stringify(platformId)}. List the platforms with \`signing-service platform list\`.`,
    );
  }
  return {
    platform,
    accounts: accounts.filter((one) => one.platformId === platformId).map(({ accountId }) => accountId),
    policies: policies.filter((entry) => covers(entry, platformId)).map(({ name }) => name),
    budgets: budgets.filter((entry) => covers(entry, platformId)).map(({ name }) => name),
  };
}

/** Width of the labels, `secret decoding` being the longest. */
const LABEL_WIDTH = 'secret decoding'.length + 2;

function toLines({ platform, accounts, policies, budgets }: ShownPlatform) {
  const { platformId, status, format, algorithms, encoding, payload, rules = {}, secretDecoding } = platform;
  const optional = (label: string, value: string | undefined) => (value === undefined ? [] : [[label, value] as const]);
  return [
    ['platform', platformId],
    ['status', status ?? 'active'],
    ['format', format],
    ['algorithms', algorithms.join(', ')],
    ...optional('encoding', findTokenForm(platform) ?? encoding),
    ['rule', JSON.stringify(payload)],
    ...optional('sent to', platform.send && formatTarget(platform.send)),
    ...Object.entries(rules).map(([name, rule]) => [`rule ${name}`, JSON.stringify(toSigningRule(rule))] as const),
    ...optional('secret decoding', secretDecoding),
    ...optional('verify', platform.verify === undefined ? undefined : JSON.stringify(platform.verify)),
    ...optional('audit', platform.audit === undefined ? undefined : JSON.stringify(platform.audit)),
    ['accounts', accounts.length === 0 ? '-' : `${accounts.length}: ${listSome(accounts, (id) => id)}`],
    ['policies', policies.join(', ') || '-'],
    ['budgets', budgets.join(', ') || '-'],
  ] as const;
}
