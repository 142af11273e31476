import { Command, InvalidArgumentError } from 'commander';
import { MAX_OVERLAP_SECONDS } from '../../../domain/model/account.ts';
import type { FixedValues } from '../../../domain/model/payload.ts';
import type { ShownChange } from '../../../domain/services/account-administration-service.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { collectValue, jsonOption, printJson, printProse, RELOAD_HINT, SEALING_SETTINGS } from '../command-options.ts';
import { WRAPPED_NOTE } from '../master-key/source-options.ts';
import { accountWarnings, formatWarnings } from '../warnings.ts';
import {
  addKeyOptions,
  findKeyOptionIssue,
  formatKeyFileHint,
  formatLines,
  type KeyOptions,
  toKeyLines,
  toKeyOrigin,
} from './key-options.ts';

interface Options extends KeyOptions {
  readonly platform: string;
  readonly account: string;
  readonly value?: FixedValues;
  readonly overlap: number;
  readonly dryRun?: true;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'Everything else stays: IDs, algorithm, label, status, permissions, policies, budgets and usage. Values that are not named stay, too. The previous key is removed from the credentials file; earlier backups still contain it. An account that names a key file, or a plaintext key, gets a sealed key instead.',
    'No request fails through the change. With --overlap, a running service keeps the previous key for that time after it has loaded the new one: requests that were checked before finish with it, and POST /api/v1/verify accepts its signatures. Every later request is signed with the new key. Disabling or removing the account ends the overlap.',
    'Releases without replace-key reject a credentials file that was written with --overlap.',
    WRAPPED_NOTE,
  ],
  settings: SEALING_SETTINGS,
  examples: [
    'account replace-key --platform my-exchange --account main',
    'account replace-key --platform bybit --account main --key-file bybit.key --value apiKey=NEW-API-KEY --overlap 60',
    'account replace-key --platform bybit --account main --key-file bybit.key --dry-run',
  ],
};

/** `account replace-key`: gives an account another key, generated or from a file. */
export function accountReplaceKeyCommand(context: CliContext): Command {
  const command = new Command('replace-key')
    .description('replace the key of an account by a generated one, or by the key in a file')
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID');
  addKeyOptions(command)
    .option(
      '--value <name=value>',
      'new value of {account.NAME} in the templates of the platform, such as the new API key; repeatable',
      collectValue,
    )
    .option(
      '--overlap <seconds>',
      `keep the previous key for requests in progress and for verification, 0 to ${MAX_OVERLAP_SECONDS}`,
      parseOverlap,
      0,
    )
    .option('--dry-run', 'check everything, the key file included, and change nothing')
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const issue = findKeyOptionIssue(options);
      if (issue !== undefined) command.error(`error: ${issue}`);
      await withInstallation(context, async (installation) => {
        const administration = await installation.accounts();
        const { platform, account, overlap, value, dryRun = false } = options;
        const { accounts } = await administration.list();
        const change = await administration.replaceKey({
          platformId: platform,
          accountId: account,
          origin: toKeyOrigin(options),
          ...(value === undefined ? {} : { values: value }),
          overlapSeconds: overlap,
          dryRun,
        });
        const others = accounts.filter((one) => one.platformId !== platform || one.accountId !== account);
        const { publicKey, algorithm } = change.account;
        const warnings = publicKey === null ? [] : accountWarnings({ publicKey, algorithm }, others);
        if (options.json) return printJson(context, toDocument(change, options, warnings));
        const isSame = publicKey !== null && publicKey === change.before.publicKey;
        const changed = isSame ? 'keeps its key, with the new values,' : 'has another key';
        const done = dryRun ? 'can get this key; nothing was changed' : `${changed} in ${administration.location}`;
        const end = dryRun ? '' : `${formatKeyFileHint(options)}${RELOAD_HINT}`;
        await printProse(
          context,
          `Account ${account} of ${platform} ${done}.\n${formatChange(change)}${formatWarnings(warnings, context.output)}${end}`,
        );
      });
    });
  return addManual(command, MANUAL);
}

function toDocument({ before, account }: ShownChange, { overlap, dryRun }: Options, cautions: readonly string[]) {
  return {
    account,
    previous: {
      publicKey: before.publicKey,
      keyId: before.keyId,
      ...(before.address === undefined ? {} : { address: before.address }),
      ...(before.values === undefined ? {} : { values: before.values }),
    },
    overlapSeconds: overlap,
    changed: dryRun === undefined,
    cautions,
  };
}

/** Width of the labels, `previous public key` being the longest. */
const LABEL_WIDTH = 'previous public key'.length + 2;

function formatChange({ before, account }: ShownChange): string {
  const previous = toKeyLines(before, '(derived at load)').map(
    ([label, value]) => [`previous ${label}`, value] as const,
  );
  return formatLines([...previous, ...toKeyLines(account, '(generated without --dry-run)')], LABEL_WIDTH);
}

function parseOverlap(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_OVERLAP_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be a whole number of seconds from 0 to ${MAX_OVERLAP_SECONDS}.`);
}
