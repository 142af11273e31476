import { Command, Option } from 'commander';
import type { AccountProfile, WithAddress } from '../../../domain/model/account.ts';
import { ALGORITHMS, type Algorithm, isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import type { FixedValues } from '../../../domain/model/payload-rule.ts';
import { KEY_FILE_FORMATS, type KeyFileFormat, type KeyOrigin } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { collectValue, jsonOption, printJson, printProse, RELOAD_HINT, SEALING_SETTINGS } from '../command-options.ts';
import { accountWarnings, formatWarnings } from '../warnings.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly algorithm?: Algorithm;
  readonly alias?: string;
  readonly environment?: string;
  readonly value?: FixedValues;
  readonly keyFile?: string;
  readonly keyFormat?: KeyFileFormat;
  readonly passwordFile?: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: ['To add many accounts, use account import.'],
  settings: SEALING_SETTINGS,
  examples: [
    'account add --platform my-exchange --account main --algorithm ed25519 --alias "Main book"',
    'account add --platform bybit --account main --key-file bybit.key --value apiKey=YOUR-API-KEY',
    'account add --platform my-exchange --account sol --algorithm ed25519 --key-file id.json',
    'account add --platform treasury --account hot --algorithm eip191 --key-file /run/secrets/hot.hex --key-format hex',
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
    )
    .option('--key-file <file>', 'read the private key from this file')
    .addOption(
      new Option(
        '--key-format <format>',
        'format of the key file (default: detected; for HMAC secrets, the decoding of the platform)',
      ).choices(KEY_FILE_FORMATS),
    )
    .option('--password-file <file>', 'file with the password of a keystore')
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const issue = findOptionIssue(options);
      if (issue !== undefined) command.error(`error: ${issue}`);
      const origin = toKeyOrigin(options);
      await withInstallation(context, async ({ administration }) => {
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
            `algorithm   ${account.algorithm}\n${formatKey(account)}${formatWarnings(warnings, context.output)}${formatKeyFileHint(options)}${RELOAD_HINT}`,
        );
      });
    });
  return addManual(command, MANUAL);
}

/** The publicKey field of an HMAC account has the ID of its secret. */
function formatKey({ algorithm, publicKey, address }: WithAddress<AccountProfile>): string {
  if (isMacAlgorithm(algorithm)) return `key ID      ${publicKey}\n`;
  return `public key  ${publicKey}\n${address ? `address     ${address}\n` : ''}`;
}

function formatKeyFileHint({ keyFile }: Options): string {
  return keyFile === undefined
    ? ''
    : `The account has an encrypted copy of its key. Delete ${keyFile} unless something else needs it.\n`;
}

function toKeyOrigin({ keyFile, keyFormat, passwordFile }: Options): KeyOrigin {
  if (keyFile !== undefined) {
    return {
      kind: 'file',
      file: keyFile,
      ...(keyFormat === undefined ? {} : { format: keyFormat }),
      ...(passwordFile === undefined ? {} : { passwordFile }),
    };
  }
  return { kind: 'generate' };
}

function findOptionIssue({ keyFile, keyFormat, passwordFile }: Options): string | undefined {
  if (keyFile !== undefined) return undefined;
  if (keyFormat !== undefined) return '--key-format requires --key-file.';
  if (passwordFile !== undefined) return '--password-file requires --key-file.';
  return undefined;
}
