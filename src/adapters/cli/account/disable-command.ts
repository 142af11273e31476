import type { Command } from 'commander';
import { toAccountName } from '../../../domain/model/account.ts';
import { listSome } from '../../../domain/model/text/wording.ts';
import type { StatusChange, UncomparedAccount } from '../../../ports/credential-editor.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';
import { formatWarnings, nameWithAlgorithm } from '../warnings.ts';
import { accountStatusCommand, formatStatus } from './account-status.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly sameKey?: boolean;
  readonly json?: true;
}

type SameKey = StatusChange['sameKey'];

/**
 * `account disable`: stops an account, or with `--same-key` all accounts with its key, from
 * signing.
 */
export function accountDisableCommand(context: CliContext): Command {
  const command = accountStatusCommand('disable', 'disable an account, so that it signs nothing; its key is kept')
    .option('--same-key', 'also disable every account with the same key, on any platform, in one change')
    .addOption(jsonOption())
    .action(async ({ platform, account, sameKey: withOthers = false, json }: Options) => {
      const { sameKey, uncompared } = await withInstallation(context, async ({ accounts }) =>
        (await accounts()).setStatus(platform, account, 'disabled', withOthers ? 'same-key' : 'account'),
      );
      const warnings = [
        ...warnStillActive(sameKey),
        ...warnNotCompared(uncompared, 'no-public-key'),
        ...warnNotCompared(uncompared, 'other-hmac'),
      ];
      const named = { platformId: platform, accountId: account, status: 'disabled' };
      if (json) return printJson(context, { account: named, sameKey, cautions: warnings });
      const others = withOthers && sameKey.length > 0 ? ` Also disabled (same key): ${formatNames(sameKey)}.` : '';
      await printProse(
        context,
        `Account ${account} of ${platform} is ${formatStatus(context, 'disabled')}.${others}\n${formatWarnings(warnings, context.output)}${RELOAD_HINT}`,
      );
    });
  return addManual(command, {
    notes: [
      'It lists the other accounts with the same key, found by publicKey (for HMAC, the ID of the secret) or by key file. It also lists accounts that it cannot compare: those without a publicKey and, with --same-key, those of another HMAC algorithm, which gives the same secret a different ID.',
      'A batch in progress stops after its current slice, once the service has reloaded.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'account disable --platform my-exchange --account main',
      'account disable --platform my-exchange --account main --same-key',
    ],
  });
}

function warnStillActive(sameKey: SameKey): readonly string[] {
  const active = sameKey.filter(({ status }) => status === 'active');
  if (active.length === 0) return [];
  return [
    `its key is also used by ${formatNames(active)}, still active; if the key has leaked, disable all of them with --same-key`,
  ];
}

const WHY_NOT_COMPARED: { readonly [Reason in UncomparedAccount['reason']]: string } = {
  'no-public-key': 'the credentials file has no publicKey for them or for this account',
  'other-hmac': 'another HMAC algorithm gives the same secret a different ID',
};

function warnNotCompared(
  accounts: readonly UncomparedAccount[],
  reason: UncomparedAccount['reason'],
): readonly string[] {
  const uncompared = accounts.filter((account) => account.reason === reason);
  if (uncompared.length === 0) return [];
  const names = listSome(uncompared, toAccountName);
  return [`${names} could not be compared because ${WHY_NOT_COMPARED[reason]}; check whether they use the same key`];
}

function formatNames(accounts: SameKey): string {
  return accounts.map(nameWithAlgorithm).join(', ');
}
