import { Command, InvalidArgumentError } from 'commander';
import { FIXED_VALUE_NAME_PATTERN, type FixedValues } from '../../../domain/model/payload.ts';
import type { ShownChange } from '../../../domain/services/account-administration-service.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import {
  CREDENTIALS_SETTINGS,
  collectValue,
  jsonOption,
  printJson,
  printProse,
  RELOAD_HINT,
} from '../command-options.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly alias?: string;
  readonly environment?: string;
  readonly value?: FixedValues;
  readonly removeValue?: readonly string[];
  readonly json?: true;
}

const MANUAL: CommandManual = {
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
};

/** `account edit`: changes label, environment and fixed values of an account. */
export function accountEditCommand(context: CliContext): Command {
  const command = new Command('edit')
    .description('change the label, environment or values of an account')
    .requiredOption('--platform <id>', 'platform ID of the account')
    .requiredOption('--account <id>', 'account ID')
    .option('--alias <text>', 'new label')
    .option('--environment <name>', 'new environment, such as production or testnet')
    .option(
      '--value <name=value>',
      'new value of {account.NAME} in the templates of the platform; not a secret; repeatable',
      collectValue,
    )
    .option('--remove-value <name>', 'remove this value; repeatable', collectName)
    .addOption(jsonOption())
    .action(async (options: Options, command: Command) => {
      const { platform, account, alias, environment, value, removeValue } = options;
      if ([alias, environment, value, removeValue].every((option) => option === undefined)) {
        command.error('error: set at least one of --alias, --environment, --value and --remove-value.');
      }
      const change = await withInstallation(context, async ({ accounts }) =>
        (await accounts()).editAccount(platform, account, {
          ...(alias === undefined ? {} : { alias }),
          ...(environment === undefined ? {} : { environment }),
          values: value ?? {},
          removedValues: removeValue ?? [],
        }),
      );
      if (options.json) return printJson(context, { account: change.account });
      const changes = formatChanges(change);
      const text =
        changes === '' ? 'has these values already; nothing was changed.\n' : `changed.\n${changes}${RELOAD_HINT}`;
      await printProse(context, `Account ${account} of ${platform} ${text}`);
    });
  return addManual(command, MANUAL);
}

function collectName(name: string, collected: readonly string[] = []): readonly string[] {
  if (FIXED_VALUE_NAME_PATTERN.test(name)) return [...collected, name];
  throw new InvalidArgumentError('It must be a name of 1 to 32 letters, digits or _ beginning with a letter.');
}

function formatChanges({ before, account }: ShownChange): string {
  const names = new Set([...Object.keys(before.values ?? {}), ...Object.keys(account.values ?? {})]);
  const fields = [
    ['alias', before.alias, account.alias],
    ['environment', before.environment, account.environment],
    ...[...names].map((name) => [`value ${name}`, before.values?.[name], account.values?.[name]] as const),
  ] as const;
  const changed = fields.filter(([, old, current]) => old !== current);
  return changed.map(([name, old = 'none', current = 'none']) => `${name}: ${old} → ${current}\n`).join('');
}
