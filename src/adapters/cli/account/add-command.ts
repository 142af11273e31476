import { Command, Option } from 'commander';
import { ALGORITHMS, type Algorithm } from '../../../domain/model/algorithm.ts';
import type { FixedValues } from '../../../domain/model/payload.ts';
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
  readonly algorithm?: Algorithm;
  readonly alias?: string;
  readonly environment?: string;
  readonly value?: FixedValues;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: ['To add many accounts, use account import.', WRAPPED_NOTE],
  settings: SEALING_SETTINGS,
  examples: [
    'account add --platform my-exchange --account main --algorithm ed25519 --alias "Main book"',
    'account add --platform bybit --account main --key-file bybit.key --value apiKey=YOUR-API-KEY',
    'account add --platform my-exchange --account sol --algorithm ed25519 --key-file id.json',
    'account add --platform treasury --account hot --algorithm eip191 --key-file /run/secrets/hot.hex --key-format hex',
    'account add --platform treasury --account second --algorithm eip191 --key-file words.txt --key-format mnemonic --derivation-path m/44h/60h/0h/0/1',
  ],
};

/** `account add`: adds an account with a new key, or with one from a file. */
export function accountAddCommand(context: CliContext): Command {
  const command = new Command('add')
    .description('add an account with a generated key, or with the key in a file')
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID in requests')
    .addOption(
      new Option(
        '--algorithm <algorithm>',
        'algorithm, which cannot be changed later (default: that of the platform, if it has only one)',
      ).choices(ALGORITHMS),
    )
    .option('--alias <text>', 'label (default: the ID)')
    .option('--environment <name>', 'label such as production or testnet (default: production)')
    .option(
      '--value <name=value>',
      'value of {account.NAME} in the templates of the platform, such as an API key; not a secret; repeatable',
      collectValue,
    );
  addKeyOptions(command)
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const issue = findKeyOptionIssue(options);
      if (issue !== undefined) command.error(`error: ${issue}`);
      const origin = toKeyOrigin(options);
      await withInstallation(context, async (installation) => {
        const administration = await installation.accounts();
        const before = await administration.list();
        const account = await administration.addAccount({
          platformId: options.platform,
          accountId: options.account,
          ...(options.algorithm === undefined ? {} : { algorithm: options.algorithm }),
          ...(options.alias === undefined ? {} : { alias: options.alias }),
          ...(options.environment === undefined ? {} : { environment: options.environment }),
          ...(options.value === undefined ? {} : { values: options.value }),
          origin,
        });
        const warnings = accountWarnings(account, before.accounts);
        if (options.json) return printJson(context, { account, cautions: warnings });
        await printProse(
          context,
          `Account ${account.accountId} of ${account.platformId} added to ${administration.location}.\n` +
            `${formatLines([['algorithm', account.algorithm], ...toKeyLines(account, '')])}${formatWarnings(warnings, context.output)}${formatKeyFileHint(options)}${RELOAD_HINT}`,
        );
      });
    });
  return addManual(command, MANUAL);
}
